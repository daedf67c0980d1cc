import { expect, test } from 'vitest';
import { durationInWords, withDurationsInWords } from './duration-in-words.ts';

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

test.each([
  ['Calls are limited to 3 in 86400000 ms; 3 were made.', 'Calls are limited to 3 in 1 d; 3 were made.'],
  ['it took 900 ms', 'it took 900 ms'],
])('rewrites the durations of «%s»', (said, shown) => {
  expect(withDurationsInWords(said)).toBe(shown);
});
