import { expect, test } from 'vitest';
import { durationInWords } from './duration-in-words.ts';

test.each([
  [0, '0 ms'],
  [1_500, '1500 ms'],
  [90_000, '90 s'],
  [300_000, '5 min'],
  [3_600_000, '1 h'],
  [36 * 3_600_000, '36 h'],
  [7 * 86_400_000, '7 d'],
])('%i ms are %s', (ms, words) => {
  expect(durationInWords(ms)).toBe(words);
});
