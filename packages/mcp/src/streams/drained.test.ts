import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { drained } from './drained.ts';

test('waits until the reader has caught up, and leaves no listener behind', async () => {
  const pending: (() => void)[] = [];
  const stream = new Writable({
    highWaterMark: 1,
    write: (_chunk, _encoding, done) => void pending.push(done),
  });
  const names = () => stream.eventNames().map((name) => [name, stream.listenerCount(name)]);
  const before = names();
  for (let round = 0; round < 20; round += 1) {
    stream.write('ab');
    const waits = drained(stream);
    pending.shift()?.();
    await waits;
    expect(stream.writableNeedDrain).toBe(false);
  }
  expect(names()).toEqual(before);
});

test('resolves when the reader has closed the stream', async () => {
  const stream = new Writable({ highWaterMark: 1, write: () => {} });
  stream.write('ab');
  const waits = drained(stream);
  stream.destroy();
  await waits;
});
