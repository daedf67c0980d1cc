import { expect, it } from 'vitest';
import { batchesOf, readSubmission } from './submissions.ts';

function submission(record: object, at = 1) {
  return readSubmission(Buffer.from(JSON.stringify(record)), `file:${at}`);
}

async function batches(submissions: ReturnType<typeof submission>[]): Promise<string[][]> {
  const all: string[][] = [];
  const stream = (async function* () {
    yield* submissions;
  })();
  for await (const batch of batchesOf(stream)) all.push(batch.map(({ kind }) => kind));
  return all;
}

it("keeps the text of records unchanged, so that the plane's strict reader sees every fault", () => {
  const json = '{"a":1,"a":9007199254740993}';
  expect(readSubmission(Buffer.from(json), 'f:1')).toEqual({ kind: 'action', json, place: 'f:1' });
});

it('names the line that is not JSON or is too long', () => {
  expect(() => readSubmission(Buffer.from('{'), 'f:7')).toThrow('f:7 is not JSON');
  expect(() => readSubmission(Buffer.alloc(300_000, '1'), 'f:8')).toThrow('f:8 is longer than');
});

it('never mixes actions and outcomes in a batch, and keeps their order', async () => {
  const a = { event: 'action.requested' };
  const o = { event: 'action.completed' };
  const bare = { actionId: 'a' };
  expect(await batches([a, {}, o, bare, o, a].map((record) => submission(record)))).toEqual([
    ['action', 'action'],
    ['outcome', 'outcome', 'outcome'],
    ['action'],
  ]);
});

it('fills a batch with at most a hundred records and half a mebibyte', async () => {
  const small = await batches(Array.from({ length: 250 }, (_, at) => submission({ at }, at)));
  expect(small.map(({ length }) => length)).toEqual([100, 100, 50]);
  const large = await batches(Array.from({ length: 6 }, () => submission({ text: 'x'.repeat(200_000) })));
  expect(large.map(({ length }) => length)).toEqual([2, 2, 2]);
});
