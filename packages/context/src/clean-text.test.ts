import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanText } from './clean-text.ts';

test.each([
  ['a\t\r\n\v\fb', 'a b'],
  ['a\u0085\u00a0\u1680\u2003\u2028\u2029\u202f\u205f\u3000b', 'a b'],
  ['  a  b ', 'a b'],
  ['a\u202eb\u2066c\u2069\u061cd', 'abcd'],
  ['ig\u200bno\u00adre\ufeff', 'ignore'],
  ['x\u{e0041}\u{e007f}y', 'xy'],
  ['a\u2062\u2064b', 'ab'],
  ['\u2764\ufe0f', '\u2764\ufe0f'],
  ['a\ufe01\ufe02\u{e0101}b', 'a\ufe01b'],
  ['a\udc00\ud800', 'a\ufffd\ufffd'],
  // A hidden character must not keep two parts of a letter apart.
  ['e\u200b\u0301', '\u00e9'],
  ['', ''],
])('cleans %j', (text, expected) => {
  expect(cleanText(text)).toBe(expected);
});

test('returns one line without hidden characters, and a second cleaning changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
      const clean = cleanText(text);
      expect(clean).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]| {2}|^ | $/u);
      expect(clean.isWellFormed()).toBe(true);
      expect(cleanText(clean)).toBe(clean);
    }),
  );
});

test('cleans any text of 1 MiB quickly', () => {
  for (const part of ['\u200b', ' ', 'e\u0301', '\ufe01', '\ud800', 'a\u202e']) {
    const text = part.repeat(Math.ceil((1 << 20) / part.length));
    const began = performance.now();
    cleanText(text);
    expect(performance.now() - began).toBeLessThan(1_000);
  }
});
