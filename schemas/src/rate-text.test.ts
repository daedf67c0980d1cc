import { expect, test } from 'vitest';
import { readRate } from './rate-text.ts';

test.each<[unknown, number, number]>([
  ['5/hour', 5, 3_600_000],
  ['20/day', 20, 86_400_000],
  ['5/30m', 5, 1_800_000],
  ['0/h', 0, 3_600_000],
  ['100000/w', 100_000, 604_800_000],
  [{ requests: 20, window: '1h' }, 20, 3_600_000],
])('reads %j', (rate, maxCalls, windowMs) => {
  expect(readRate(rate)).toEqual({ ok: true, maxCalls, windowMs });
});

test.each<[unknown, string]>([
  ['5', 'VALUE_INVALID'],
  ['5/', 'VALUE_INVALID'],
  ['05/h', 'VALUE_INVALID'],
  ['five/hour', 'VALUE_INVALID'],
  ['100001/h', 'VALUE_INVALID'],
  ['5/32d', 'DURATION_INVALID'],
  ['5/fortnight', 'DURATION_INVALID'],
  ['5/constructor', 'DURATION_INVALID'],
  [{ requests: 5, window: '0h' }, 'DURATION_INVALID'],
  [{ requests: 5 }, 'DURATION_INVALID'],
  [{ requests: -1, window: '1h' }, 'VALUE_INVALID'],
  [{ requests: '5', window: '1h' }, 'VALUE_INVALID'],
  [{ requests: 5, window: '1h', burst: 2 }, 'VALUE_INVALID'],
  [[5, '1h'], 'VALUE_INVALID'],
  [null, 'VALUE_INVALID'],
])('refuses %j', (rate, code) => {
  expect(readRate(rate)).toMatchObject({ ok: false, code });
});
