import { expect, test } from 'vitest';
import type { Appended } from './acknowledgement.ts';
import type { WireMessage } from './client.ts';
import { PartitionQueue, REQUEST } from './partition-queue.ts';

const PLACE = { topic: 't', partition: 3 };
const slice = (texts: string[], bytes = 10) => ({
  messages: texts.map((text) => ({ key: null, value: Buffer.from(text), headers: {} })),
  bytes,
});
const nothing = () => undefined;

/** A fake partition. The test decides when it answers a request. */
class Scripted {
  readonly requests: { texts: string[]; answer: PromiseWithResolvers<Appended> }[] = [];
  readonly queue = new PartitionQueue(PLACE, (messages: WireMessage[]) => {
    const answer = Promise.withResolvers<Appended>();
    this.requests.push({ texts: messages.map(({ value }) => `${value}`), answer });
    return answer.promise;
  });

  sent(): string[][] {
    return this.requests.map(({ texts }) => texts);
  }

  async succeed(request: number, baseOffset: number): Promise<void> {
    this.requests[request]?.answer.resolve({ baseOffset, appendedAtMs: 7 });
    await settled();
  }

  async fail(request: number): Promise<void> {
    this.requests[request]?.answer.reject(new Error('refused'));
    await settled();
  }
}

const settled = () => new Promise(setImmediate);

test('sends one request at a time, and sends all later records together in the next request', async () => {
  const partition = new Scripted();
  const first = partition.queue.submit(slice(['a']), nothing);
  await settled();
  const later = [['b', 'c'], ['d']].map((texts) => partition.queue.submit(slice(texts), nothing));
  await settled();
  expect(partition.sent()).toEqual([['a']]);
  await partition.succeed(0, 40);
  expect(partition.sent()).toEqual([['a'], ['b', 'c', 'd']]);
  await partition.succeed(1, 41);
  const offsets = (await Promise.all([first, ...later])).map((acks) =>
    acks.map(({ position }) => position.offset),
  );
  expect(offsets).toEqual([[40], [41, 42], [43]]);
  expect((await first)[0]).toEqual({ position: { ...PLACE, offset: 40 }, appendedAtMs: 7 });
});

test('puts at most as many records into a request as a topic accepts, and sends a larger slice alone', async () => {
  const partition = new Scripted();
  const sizes = [REQUEST.bytes / 2, REQUEST.bytes / 2, 1, 3 * REQUEST.bytes, 1];
  const all = sizes.map((bytes, i) => partition.queue.submit(slice([`${i}`], bytes), nothing));
  for (let request = 0; request < 4; request++) {
    await settled();
    await partition.succeed(request, request);
  }
  await Promise.all(all);
  expect(partition.sent()).toEqual([['0', '1'], ['2'], ['3'], ['4']]);
});

test('fails all records of a failed request, and no later records', async () => {
  const partition = new Scripted();
  const together = ['a', 'b'].map((text) => partition.queue.submit(slice([text]), nothing));
  const refused = Promise.allSettled(together);
  await settled();
  const behind = partition.queue.submit(slice(['c']), nothing);
  await partition.fail(0);
  await partition.succeed(1, 9);
  expect((await refused).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect((await behind)[0]?.position.offset).toBe(9);
});

test('does not send a slice of an append that has already failed', async () => {
  const partition = new Scripted();
  let obstacle: unknown;
  const first = partition.queue.submit(slice(['a']), nothing);
  await settled();
  const second = partition.queue.submit(slice(['b']), () => obstacle);
  const refused = expect(second).rejects.toMatchObject({ code: 'BUS_UNAVAILABLE' });
  const third = partition.queue.submit(slice(['c']), nothing);
  obstacle = new Error('an earlier slice failed');
  await partition.succeed(0, 0);
  await partition.succeed(1, 1);
  await Promise.all([first, refused, third]);
  expect(partition.sent()).toEqual([['a'], ['c']]);
});
