import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inPlainDigits } from './plain-digits.ts';

/** The digits 0 to 9 in every script in which Unicode writes numbers. */
const SCRIPTS = Intl.supportedValuesOf('numberingSystem').flatMap((numberingSystem) => {
  const { format } = new Intl.NumberFormat('en', { numberingSystem });
  const digits = Array.from({ length: 10 }, (_, value) => format(value));
  return digits.every((digit) => /^\p{Nd}$/u.test(digit)) ? [digits] : [];
});

test('reads digits of every script as Unicode defines them', () => {
  expect(SCRIPTS.length).toBeGreaterThan(50);
  for (const digits of SCRIPTS) expect(inPlainDigits(digits.join('')).text).toBe('0123456789');
});

test('leaves other text unchanged, and returns positions in the original text', () => {
  const digit = fc.constantFrom(...SCRIPTS.flatMap((digits) => digits.map((one, value) => [one, value])));
  const other = fc
    .oneof(fc.string({ unit: 'binary', maxLength: 4 }), fc.constantFrom('\ud800', '\udfff', '\uE000', '7'))
    .filter((text) => !/(?![0-9])\p{Nd}/u.test(text))
    .map((text) => [text, text]);
  fc.assert(
    fc.property(fc.array(fc.oneof(digit, other)), (parts) => {
      const given = parts.map(([written]) => written).join('');
      const plain = inPlainDigits(given);
      fc.pre(!/(?![0-9])\p{Nd}/u.test(parts.map(([, read]) => read).join('')));
      expect(plain.text).toBe(parts.map(([, read]) => read).join(''));
      let [start, place] = [0, 0];
      for (const [written, read] of parts) {
        const span = { start, end: start + String(read).length };
        const expected = { start: place, end: place + String(written).length };
        if (span.end > span.start) expect(plain.placeOf(span)).toEqual(expected);
        [start, place] = [span.end, expected.end];
      }
    }),
  );
});
