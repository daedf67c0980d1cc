import { expect, test } from 'vitest';
import { callNames } from '../models/call-names.ts';
import { compileModelPrices, statedMicros } from './model-prices.ts';

const price = (inputPerMillion: number) => ({ inputPerMillion, outputPerMillion: 0 });

function pricesOf(
  document: Record<string, ReturnType<typeof price>>,
  provider: string | undefined,
  model: string,
) {
  return compileModelPrices(document)
    .prices.of(callNames(provider, model))
    .map(({ inputMicros }) => inputMicros / 1e6);
}

const DOCUMENT = {
  'my-model': price(1),
  'azure/my-model': price(2),
  'gpt-5.6-sol': price(3),
  'x/y': price(4),
};

test.each<[provider: string | undefined, model: string, dollars: number[]]>([
  ['our-proxy', 'my-model', [1]],
  ['our-proxy', 'MY-Model', [1]],
  ['our-proxy', 'my-model-2026-01-01', [1]],
  ['azure', 'my-model', [2]],
  [undefined, 'azure/my-model', [2]],
  ['our-proxy', 'azure/my-model', [2]],
  // This call names no provider, so the higher of the two prices counts.
  [undefined, 'my-model', [1, 2]],
  ['openai', 'gpt-5-6-sol', [3]],
  ['our-proxy', 'my-model:free', []],
  ['our-proxy', 'mallory/my-model', []],
  ['our-proxy', 'x/y', [4]],
  ['our-proxy', 'y', []],
  ['our-proxy', 'toString', []],
])('%s %s', (provider, model, dollars) => {
  expect(pricesOf(DOCUMENT, provider, model)).toEqual(dollars);
});

test('does not apply a price for one provider to another provider', () => {
  expect(pricesOf({ 'azure/my-model': price(2) }, 'openai', 'my-model')).toEqual([]);
  expect(pricesOf({ 'azure/my-model': price(2) }, undefined, 'my-model')).toEqual([2]);
});

test('reports a model with two prices', () => {
  const { repeated } = compileModelPrices({
    'gpt-4o': price(1),
    'GPT-4o': price(2),
    'openai/gpt-4o': price(3),
  });
  expect(repeated).toEqual([['GPT-4o', 'gpt-4o']]);
});

test.each<[input: number, output: number, perCall: number, tokens: [number, number], micros: number]>([
  [3, 15, 0, [1_000, 1_000], 18_000],
  [3, 15, 0.001, [1_000, 1_000], 19_000],
  [0.000001, 0, 0, [1, 0], 1],
  [0.000001, 0, 0, [1_000_001, 0], 2],
  [0, 0, 0, [1_000, 1_000], 0],
  [9_007_199_254, 0, 0, [Number.MAX_SAFE_INTEGER, 0], Number.MAX_SAFE_INTEGER],
  [1, 1, 9_007_199_254, [1_000_000_000, 0], Number.MAX_SAFE_INTEGER],
])(
  '$%d in, $%d out and $%d per call, for %j tokens, cost %d micro-dollars',
  (input, output, perCall, [tokensIn, tokensOut], micros) => {
    const { prices } = compileModelPrices({
      m: { inputPerMillion: input, outputPerMillion: output, perCall },
    });
    const stated = prices.of(callNames(undefined, 'm'));
    expect(statedMicros(stated, { input: tokensIn, maxOutput: tokensOut })).toBe(micros);
  },
);

test('uses the highest of several prices', () => {
  const { prices } = compileModelPrices({
    m: { inputPerMillion: 1, outputPerMillion: 9 },
    'azure/m': { inputPerMillion: 2, outputPerMillion: 2 },
  });
  const stated = prices.of(callNames(undefined, 'm'));
  expect(statedMicros(stated, { input: 1_000, maxOutput: 0 })).toBe(2_000);
  expect(statedMicros(stated, { input: 0, maxOutput: 1_000 })).toBe(9_000);
});
