import { expect, test } from 'vitest';
import { summedMicros } from './summed-micros.ts';

const most = Number.MAX_SAFE_INTEGER;

test.each([
  [0, 0],
  [most, most],
  [2 ** 53, most],
  [-(2 ** 70), -most],
])('returns the sum %d as %d', (sum, told) => {
  expect(summedMicros.parse(sum)).toBe(told);
});

test('rejects everything except whole numbers', () => {
  for (const wrong of [0.5, Number.NaN, '1', null]) expect(summedMicros.safeParse(wrong).success).toBe(false);
});
