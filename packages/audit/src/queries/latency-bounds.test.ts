import { expect, test } from 'vitest';
import { LATENCY_BOUNDS_MS, percentile } from './latency-bounds.ts';

test('the bounds are rising whole numbers; from 2 ms on, each bound is at most two thirds larger than the bound before', () => {
  expect(LATENCY_BOUNDS_MS.slice(0, 13)).toEqual([0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100]);
  expect(LATENCY_BOUNDS_MS.at(-1)).toBe(1_000_000_000);
  for (const [at, bound] of LATENCY_BOUNDS_MS.slice(3).entries()) {
    const before = LATENCY_BOUNDS_MS[at + 2] ?? 0;
    expect(bound / before).toBeGreaterThan(1);
    expect(bound / before).toBeLessThanOrEqual(5 / 3);
  }
});

test('a percentile is `upToMs` of the count that contains the call at its rank; null without calls', () => {
  const counts = [
    { upToMs: 1, calls: 90 },
    { upToMs: 7, calls: 9 },
    { upToMs: 500, calls: 1 },
  ];
  expect([0.5, 0.9, 0.91, 0.99, 1].map((share) => percentile(counts, share))).toEqual([1, 1, 7, 7, 500]);
  expect(percentile([], 0.5)).toBeNull();
});
