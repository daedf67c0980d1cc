import type { Batch } from '@mandate/bus';
import { MandateError } from '@mandate/runtime';
import { expect, test } from 'vitest';
import { withHeartbeats } from './heartbeats.ts';

function batchWith(heartbeat: () => Promise<void>): Batch {
  const { signal } = new AbortController();
  return {
    topic: 't',
    partition: 0,
    records: [],
    endOffset: 0,
    commit: async () => {},
    heartbeat,
    signal,
  };
}

test('sends heartbeats until the work ends', async () => {
  let beats = 0;
  const enough = Promise.withResolvers<string>();
  const batch = batchWith(async () => {
    beats += 1;
    if (beats === 3) enough.resolve('done');
  });
  expect(await withHeartbeats(batch, 2, () => enough.promise)).toBe('done');
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(beats).toBe(3);
});

test('stops waiting for the work of a lost partition, even if the work never ends', async () => {
  const fenced = new MandateError('BUS_FENCED', 'it belongs to another', { remedy: 'Drop it.' });
  const batch = batchWith(() => Promise.reject(fenced));
  await expect(withHeartbeats(batch, 2, () => new Promise(() => {}))).rejects.toBe(fenced);
});
