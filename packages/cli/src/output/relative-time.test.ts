import { expect, it } from 'vitest';
import { relativeTime } from './relative-time.ts';

it.each([
  [0, 'now'],
  [999, 'now'],
  [1_000, '1 s ago'],
  [59_999, '59 s ago'],
  [120_000, '2 min ago'],
  [3_599_999, '59 min ago'],
  [7_200_000, '2 h ago'],
  [86_400_000 * 40, '40 d ago'],
  [-5_000, 'in 5 s'],
])('%i ms before now is %s', (ms, said) => {
  expect(relativeTime(1_000_000_000_000 - ms, 1_000_000_000_000)).toBe(said);
});
