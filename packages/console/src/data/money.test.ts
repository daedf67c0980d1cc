import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dollars, microsOf, shortDollars } from './money.ts';

describe('dollars', () => {
  test.each([
    [0, '$0.00'],
    [1, '$0.000001'],
    [4_000, '$0.004'],
    [500_000, '$0.50'],
    [1_234_500_000, '$1,234.50'],
    [-9_000, '−$0.009'],
    [Number.MAX_SAFE_INTEGER, '$9,007,199,254.740991'],
  ])('shows %d micro-dollars as %s', (micros, text) => {
    expect(dollars(micros)).toBe(text);
  });

  test('show every amount exactly to the micro-dollar', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), (micros) => {
        expect(microsOf(dollars(micros))).toBe(micros);
      }),
    );
  });
});

test('an axis has short amounts', () => {
  expect([400_000, 12_000_000, 3_000_000_000].map(shortDollars)).toEqual(['$0.4', '$12', '$3K']);
});

test.each(['', 'x', '-1', '1.1234567', '1e3'])('%j is not an amount', (text) => {
  expect(microsOf(text)).toBeNull();
});
