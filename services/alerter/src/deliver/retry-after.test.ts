import { expect, test } from 'vitest';
import { retryAfterMs } from './retry-after.ts';

const NOW_MS = Date.parse('2026-01-31T12:00:00Z');

test.each([
  ['120', 120_000],
  ['0', 0],
  ['Sat, 31 Jan 2026 12:00:05 GMT', 5_000],
  ['Sat, 31 Jan 2026 11:00:00 GMT', 0],
])('accepts the header %s', (header, ms) => {
  expect(retryAfterMs(header, NOW_MS)).toBe(ms);
});

test.each([
  [null],
  ['-1'],
  ['1.5'],
  ['soon'],
  ['9999999999'],
  ['Sun, 30 Feb 2026 12:00:00 GMT'],
  ['Fri, 31 Jan 2026 12:00:05 GMT'],
  ['2026-02-30'],
])('ignores the header %s', (header) => {
  expect(retryAfterMs(header, NOW_MS)).toBeNull();
});
