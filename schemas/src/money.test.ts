import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CAPS } from './defaults.ts';
import { dollarsToMicros, formatMicros, signedMicros } from './money.ts';
import { dollars, micros } from './money-shapes.ts';

const MICROS_PER_DOLLAR = 1_000_000;
const EXACT_MICROS = 2 ** 33 * MICROS_PER_DOLLAR;

describe('dollars in documents', () => {
  it('represent every micro-dollar exactly below 2^33 dollars', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: EXACT_MICROS - 1 }), (amount) => {
        expect(dollarsToMicros(Number(formatMicros(amount).slice(1)))).toBe(amount);
      }),
      { examples: [[0], [1], [100_000], [EXACT_MICROS - 1]] },
    );
  });

  it('are converted exactly or refused, and never become another amount', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: CAPS.amountMicros }), (amount) => {
        const read = dollarsToMicros(Number(formatMicros(amount).slice(1)));
        expect(read === null || read === amount).toBe(true);
      }),
      { examples: [[8_589_934_592_000_001], [CAPS.amountMicros]] },
    );
  });

  it.each([
    [0, 0],
    [-0, 0],
    [0.1, 100_000],
    [0.3, 300_000],
    [10, 10_000_000],
    [0.000001, 1],
    [1.000001, 1_000_001],
    [9_007_199_254, 9_007_199_254_000_000],
  ])('%d is %d micro-dollars', (amount, expected) => {
    expect(dollarsToMicros(amount)).toBe(expected);
  });

  it('add up exactly: ten times $0.10 is $1.00, three times is $0.30', () => {
    const dime = dollarsToMicros(0.1) ?? Number.NaN;
    expect(10 * dime).toBe(dollarsToMicros(1));
    expect(3 * dime).toBe(dollarsToMicros(0.3));
  });

  it.each([
    ['negative', -0.01],
    ['the smallest negative', -0.000001],
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['-Infinity', Number.NEGATIVE_INFINITY],
    ['over-precise', 0.1234567],
    ['a tenth of a micro-dollar', 1e-7],
    ['a sum in floating point', 0.1 + 0.2],
    ['beyond 2^53-1 micro-dollars', 9_007_199_255],
    ['a fraction that a number cannot hold', 8_589_934_592.5],
    ['beyond decimal notation', 1e21],
  ])('are refused: %s', (_name, amount) => {
    expect(dollarsToMicros(amount)).toBeNull();
    expect(dollars.safeParse(amount).success).toBe(false);
  });
});

describe('amounts on the wire', () => {
  it('are whole, from 0 to 2^53-1', () => {
    expect([0, 1, CAPS.amountMicros].map((amount) => micros.safeParse(amount).success)).toEqual([
      true,
      true,
      true,
    ]);
    const bad = [-1, 0.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, '1', null];
    expect(bad.filter((amount) => micros.safeParse(amount).success)).toEqual([]);
  });
});

it.each([
  [0, '$0.00'],
  [100_000, '$0.10'],
  [1, '$0.000001'],
  [-1, '-$0.000001'],
  [123_456_789, '$123.456789'],
  [1_230_000, '$1.23'],
  [CAPS.amountMicros, '$9007199254.740991'],
])('%d micro-dollars read as %s', (amount, text) => {
  expect(formatMicros(amount)).toBe(text);
});

it('a signed amount may be negative, and is as exact as other amounts', () => {
  expect([-0.25, 0.1, -0, 0].map(signedMicros)).toEqual([-250_000, 100_000, 0, 0]);
  expect([-0.0000001, Number.NaN, Number.NEGATIVE_INFINITY].map(signedMicros)).toEqual([null, null, null]);
});
