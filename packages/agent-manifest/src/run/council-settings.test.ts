import type { Json } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { councilFault, councilSettings } from './council-settings.ts';

test('reads options, weights and the word for no decision', () => {
  const inputs = { options: ['yes', 'no'], weights: { ann: 2 }, undecided: 'no', question: 'Shall we?' };
  expect(councilFault(inputs)).toBe(null);
  expect(councilSettings(inputs)).toEqual({ options: ['yes', 'no'], weights: { ann: 2 }, undecided: 'no' });
  expect(councilFault('anything')).toBe(null);
});

test.each<[Json, RegExp]>([
  [{ options: [] }, /options/],
  [{ options: ['a', 'a'] }, /options/],
  [{ options: ['a', 1] }, /options/],
  [{ weights: { ann: 0 } }, /weights/],
  [{ weights: { ann: 1.5 } }, /weights/],
  [{ weights: { ann: 1_001 } }, /weights/],
  [{ weights: { ann: '2' } }, /weights/],
  [{ weights: [2] }, /weights/],
  [{ undecided: 'maybe' }, /undecided/],
  [{ options: ['a'], undecided: 'approve' }, /undecided/],
  [{ undecided: null }, /undecided/],
])('refuses %j, because a wrong setting must not count as absent', (inputs, words) => {
  expect(councilFault(inputs)).toMatch(words);
});
