import { expect, test } from 'vitest';
import { waitBeforeRetry } from './backoff.ts';

const webhook = { firstRetryMs: 1_000, longestRetryMs: 5_000 };
const waits = (random: number, askedMs: number | null = null) =>
  [1, 2, 3, 4, 100].map((attempts) => waitBeforeRetry(attempts, webhook, { random, askedMs }));

test('doubles the wait up to the maximum, and subtracts a random part of up to half', () => {
  expect(waits(0)).toEqual([1_000, 2_000, 4_000, 5_000, 5_000]);
  expect(waits(0.5)).toEqual([750, 1_500, 3_000, 3_750, 3_750]);
});

test('waits as long as the receiver asks, but at most an hour', () => {
  expect(waits(0, 3_000)).toEqual([3_000, 3_000, 4_000, 5_000, 5_000]);
  expect(waits(0, 24 * 3_600_000)[0]).toBe(3_600_000);
});
