import type { TokenPrice, TokenUsage } from '@mandate/schemas';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { usageMicrosOf } from './usage-price.ts';

const MILLION = 1_000_000n;
const LARGEST = Number.MAX_SAFE_INTEGER;
const PRICE: TokenPrice = {
  fromInputTokens: 0,
  inputMicros: 3_000_000,
  cachedInputMicros: 300_000,
  cacheWriteMicros: 3_750_000,
  outputMicros: 15_000_000,
  perCallMicros: 0,
};

test.each<[string, Partial<TokenPrice>[], Partial<TokenUsage>, micros: number]>([
  ['input and output', [{}], { inputTokens: 1_000, outputTokens: 100 }, 4_500],
  ['cached input', [{}], { inputTokens: 1_000, cachedInputTokens: 900 }, 570],
  ['a cache write', [{}], { inputTokens: 1_000, cachedInputTokens: 500, cacheWriteTokens: 400 }, 1_950],
  ['reasoning as output', [{}], { outputTokens: 100, reasoningTokens: 90 }, 1_500],
  ['a fee for each call', [{ perCallMicros: 12_000 }], { inputTokens: 1_000 }, 15_000],
  [
    'parts of a micro-dollar together, rounded up once',
    [{ inputMicros: 1, outputMicros: 1 }],
    { inputTokens: 3, outputTokens: 4 },
    1,
  ],
  ['nothing', [{}], {}, 0],
  ['the highest price', [{}, { outputMicros: 60_000_000 }], { inputTokens: 1_000, outputTokens: 100 }, 9_000],
  [
    'short inputs at the price of short inputs',
    [{}, { fromInputTokens: 1_001, inputMicros: 6_000_000 }],
    { inputTokens: 1_000 },
    3_000,
  ],
  [
    'long inputs at the price of long inputs',
    [{}, { fromInputTokens: 1_001, inputMicros: 6_000_000 }],
    { inputTokens: 1_001 },
    6_006,
  ],
  [
    'at most the largest amount',
    [{ inputMicros: LARGEST, perCallMicros: LARGEST }],
    { inputTokens: 2_000_000 },
    LARGEST,
  ],
])('charges %s', (_, prices, usage, micros) => {
  const all = prices.map((price) => ({ ...PRICE, ...price }));
  expect(usageMicrosOf(all, { inputTokens: 0, outputTokens: 0, ...usage })).toBe(micros);
});

test('returns null without a usage, and without prices', () => {
  expect(usageMicrosOf([PRICE], undefined)).toBeNull();
  expect(usageMicrosOf(undefined, { inputTokens: 1, outputTokens: 1 })).toBeNull();
});

const tokens = fc.oneof(fc.nat(1_000), fc.nat(5_000_000), fc.nat(1_000_000_000));
const micros = fc.oneof(fc.nat(1_000), fc.nat(1_000_000_000), fc.maxSafeNat());
const price: fc.Arbitrary<TokenPrice> = fc.record({
  fromInputTokens: fc.constantFrom(0, 0, 200_001),
  inputMicros: micros,
  cachedInputMicros: micros,
  cacheWriteMicros: micros,
  outputMicros: micros,
  perCallMicros: micros,
});
const prices = fc.array(price, { minLength: 1, maxLength: 3 });
/** Counts with parts that never exceed the whole. */
const usage = fc
  .record({ fresh: tokens, cachedInputTokens: tokens, cacheWriteTokens: tokens, outputTokens: tokens })
  .map(({ fresh, ...rest }) => ({
    ...rest,
    inputTokens: fresh + rest.cachedInputTokens + rest.cacheWriteTokens,
  }));

test('equals the exact sum of bigints, rounded up', () => {
  fc.assert(
    fc.property(price, usage, (one, used) => {
      const fresh = used.inputTokens - used.cachedInputTokens - used.cacheWriteTokens;
      const parts: [number, number][] = [
        [fresh, one.inputMicros],
        [used.cachedInputTokens, one.cachedInputMicros],
        [used.cacheWriteTokens, one.cacheWriteMicros],
        [used.outputTokens, one.outputMicros],
      ];
      const sum = parts.reduce((all, [count, rate]) => all + BigInt(count) * BigInt(rate), 0n);
      const exact = (sum + MILLION - 1n) / MILLION + BigInt(one.perCallMicros);
      const expected = exact > BigInt(LARGEST) ? LARGEST : Number(exact);
      expect(usageMicrosOf([{ ...one, fromInputTokens: 0 }], used)).toBe(expected);
    }),
    { numRuns: 2_000 },
  );
});

test('more tokens never cost less, and no usage costs less than nothing', () => {
  fc.assert(
    fc.property(prices, usage, tokens, tokens, (all, used, moreInput, moreOutput) => {
      const cost = usageMicrosOf(all, used) ?? -1;
      expect(cost).toBeGreaterThanOrEqual(0);
      const more = {
        ...used,
        inputTokens: used.inputTokens + moreInput,
        outputTokens: used.outputTokens + moreOutput,
      };
      expect(usageMicrosOf(all, more)).toBeGreaterThanOrEqual(cost);
    }),
  );
});
