import fc from 'fast-check';
import { expect, test } from 'vitest';
import { atScale, decimalOf, rounded } from './decimal.ts';

test.each<[value: number, digits: bigint, decimals: number]>([
  [0, 0n, 0],
  [3, 3n, 0],
  [0.075, 75n, 3],
  [22.5, 225n, 1],
  [1e-7, 1n, 7],
  [1.25e-9, 125n, 11],
  [1e21, 10n ** 21n, 0],
  [1.5e22, 15n * 10n ** 21n, 0],
])('reads %d exactly', (value, digits, decimals) => {
  expect(decimalOf(value)).toEqual({ digits, decimals });
});

test('a price with any number of decimals comes back as it was written', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 10n ** 12n }),
      fc.integer({ min: 0, max: 12 }),
      (digits, places) => {
        const text = digits.toString().padStart(places + 1, '0');
        const written = `${text.slice(0, text.length - places)}.${text.slice(text.length - places)}0`;
        expect(atScale(decimalOf(Number(written)), 12)).toBe(digits * 10n ** BigInt(12 - places));
      },
    ),
  );
});

test.each([
  [0.18000000000000002, 18n, 2],
  [0.29999999999999999, 3n, 1],
  [1e-13, 0n, 0],
  [0.075, 75n, 3],
])('%d has at most twelve decimals', (value, digits, decimals) => {
  expect(rounded(decimalOf(value), 12)).toEqual({ digits, decimals });
});
