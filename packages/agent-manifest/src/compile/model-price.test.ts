import { expect, test } from 'vitest';
import { estimatedMicros, modelPriceOf } from './model-price.ts';

const NOTHING = {
  perRequestMicros: 0,
  inputMicrosPerMillion: 0,
  outputMicrosPerMillion: 0,
  perSecondMicros: 0,
};

type Pricing = Parameters<typeof modelPriceOf>[0];

const COST = { input_cost: 0.15, output_cost: 0.6 };

test.each<[what: string, pricing: Pricing, usdPerEur: number | undefined, price: Partial<typeof NOTHING>]>([
  ['a million tokens', COST, undefined, { inputMicrosPerMillion: 150_000, outputMicrosPerMillion: 600_000 }],
  [
    'a thousand tokens',
    { ...COST, unit: 'TOKEN_1K' },
    undefined,
    { inputMicrosPerMillion: 150_000_000, outputMicrosPerMillion: 600_000_000 },
  ],
  [
    'the least of a thousand tokens',
    { unit: 'TOKEN_1K', input_cost: 1e-9, output_cost: 0 },
    undefined,
    { inputMicrosPerMillion: 1 },
  ],
  [
    'a request',
    { ...COST, unit: 'REQUEST', fixed_cost_per_request: 0.01 },
    undefined,
    { perRequestMicros: 760_000 },
  ],
  [
    'a second, with a fixed cost',
    { unit: 'SECOND', input_cost: 0.0001, output_cost: 0.0002, fixed_cost_per_request: 0.001 },
    undefined,
    { perSecondMicros: 300, perRequestMicros: 1_000 },
  ],
  [
    'tokens with a fixed cost',
    { ...COST, fixed_cost_per_request: 0.000001 },
    undefined,
    { inputMicrosPerMillion: 150_000, outputMicrosPerMillion: 600_000, perRequestMicros: 1 },
  ],
  [
    'euros, rounded up',
    { currency: 'EUR', input_cost: 1e-7, output_cost: 3 },
    1.1,
    { inputMicrosPerMillion: 1, outputMicrosPerMillion: 3_300_000 },
  ],
  ['nothing', { input_cost: 0, output_cost: 0 }, undefined, {}],
])('reads the price of %s', (_what, pricing, usdPerEur, price) => {
  expect(modelPriceOf(pricing, usdPerEur)).toEqual({ ok: true, price: { ...NOTHING, ...price } });
});

test.each<[what: string, pricing: Pricing, usdPerEur: number | undefined, code: string, field: string]>([
  ['euros without a rate', { ...COST, currency: 'EUR' }, undefined, 'CURRENCY_UNCONVERTED', 'currency'],
  ['euros for nothing', { ...COST, currency: 'EUR' }, 0, 'CURRENCY_UNCONVERTED', 'currency'],
  ['euros at no number', { ...COST, currency: 'EUR' }, Number.NaN, 'CURRENCY_UNCONVERTED', 'currency'],
  ['a fine output', { input_cost: 0, output_cost: 1e-7 }, undefined, 'PRICE_TOO_PRECISE', 'output_cost'],
  [
    'a fine fixed cost',
    { ...COST, unit: 'TOKEN_1K', fixed_cost_per_request: 1e-7 },
    undefined,
    'PRICE_TOO_PRECISE',
    'fixed_cost_per_request',
  ],
  ['an endless price', { input_cost: 1e300, output_cost: 0 }, undefined, 'PRICE_TOO_LARGE', 'input_cost'],
])('refuses %s', (_what, pricing, usdPerEur, code, field) => {
  expect(modelPriceOf(pricing, usdPerEur)).toMatchObject({ ok: false, refusal: { code, field } });
});

test.each<[what: string, price: Partial<typeof NOTHING>, size: [number, number, number], micros: number]>([
  ['rounds up once', { inputMicrosPerMillion: 400_000, outputMicrosPerMillion: 400_000 }, [1, 1, 0], 1],
  ['prices seconds', { perSecondMicros: 3, perRequestMicros: 1 }, [9, 9, 2], 7],
  [
    'prices parts of seconds together with tokens',
    { inputMicrosPerMillion: 500_000, perSecondMicros: 1 },
    [1, 0, 0.5],
    1,
  ],
  [
    'ends at what a counter holds',
    { outputMicrosPerMillion: Number.MAX_SAFE_INTEGER },
    [0, 1e9, 0],
    Number.MAX_SAFE_INTEGER,
  ],
  [
    'is exact for large amounts',
    { inputMicrosPerMillion: 9_007_199_254_740_991 },
    [1_000_000, 0, 0],
    9_007_199_254_740_991,
  ],
])('%s', (_what, price, [inputTokens, maxOutputTokens, seconds], micros) => {
  expect(estimatedMicros({ ...NOTHING, ...price }, { inputTokens, maxOutputTokens, seconds })).toBe(micros);
});
