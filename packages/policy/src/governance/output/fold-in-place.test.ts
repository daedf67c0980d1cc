import { runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldText } from '../text/fold.ts';
import { foldInPlace } from './fold-in-place.ts';

/** Characters that folding joins, splits or removes. */
const PIECES = [
  ...['a', 'e', 'É', ' ', '\n', '\u2003', '\u0301', '\u0323', '\u00a8', '\u200d', '\u00ad', '\ud800', '𠮷'],
  ...['ﬁ', '\ufdfa', '’', 'ｶ', 'ﾞ', 'ᄀ', 'ᅡ', 'ᆨ', '가', 'ㄱ', 'ㅏ', 'ㄳ', 'ﾡ', 'ￂ'],
];
const arbitraryText = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 20 }),
);

test('folding in place gives the same text as folding', () => {
  fc.assert(
    fc.property(arbitraryText, (text) => {
      expect(foldInPlace(text).folded.replace(/^ | $/g, '')).toBe(foldText(text));
    }),
    { numRuns: runs(5_000) },
  );
});

test('maps a span of the folded text to the whole characters of the original text', () => {
  const { folded, placeOf } = foldInPlace('xe\u200d\u0301\n ﬁ');
  expect(folded).toBe('xé fi');
  expect(placeOf(1, 2)).toEqual({ start: 1, end: 4 });
  expect(placeOf(4, 5)).toEqual({ start: 6, end: 7 });
});
