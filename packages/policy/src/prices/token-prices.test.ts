import type { TokenPrice, TokenUsage } from '@mandate/schemas';
import { usageMicrosOf } from '@mandate/step';
import { hits, runs } from '@mandate/testing';
import { calcPrice, findProvider } from '@pydantic/genai-prices';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callsUnder } from '../checks/calls.fixture.ts';
import { knownCall } from '../models/known-call.ts';
import { pricingOf } from '../price.ts';
import { priceOfLlmCall } from './price-of-llm-call.ts';
import { tokenPricesOf } from './token-prices.ts';

const atMs = Date.parse('2026-11-01T12:00:00Z');

type Named = { provider?: string | undefined; model: string };

function pricesOf(named: Named, policies: object[] = [{}], at = atMs) {
  return tokenPricesOf(pricingsOf(policies))(knownCall(named), at);
}

function pricingsOf(policies: object[]) {
  return policies.map((fields) => pricingOf(callsUnder(fields, 'llm_call').policy, null));
}

function cost(named: Named, usage: TokenUsage, policies: object[] = [{}], at = atMs): number | null {
  return usageMicrosOf(pricesOf(named, policies, at), usage);
}

const price = (inputPerMillion: number, more: object = {}) => ({
  modelPrices: { 'my-model': { inputPerMillion, outputPerMillion: 10, ...more } },
});
const CACHED: TokenUsage = {
  inputTokens: 1_000,
  cachedInputTokens: 600,
  cacheWriteTokens: 300,
  outputTokens: 100,
};

describe('usage costs what the providers publish', () => {
  test.each<[provider: string | undefined, model: string, usage: TokenUsage, micros: number]>([
    // Per million tokens: $3 for input, $0.30 from the cache, $3.75 into the cache, $15 for output.
    ['anthropic', 'claude-sonnet-4-5', CACHED, 300 + 180 + 1_125 + 1_500],
    // Above 200,000 tokens of input: $6, $0.60, $7.50 and $22.50.
    [
      'anthropic',
      'claude-sonnet-4-5',
      { inputTokens: 200_001, cachedInputTokens: 200_000, outputTokens: 0 },
      120_006,
    ],
    // $2.50, $1.25 from the cache, $10. The list has no price of cache writes.
    ['openai', 'gpt-4o', CACHED, 250 + 750 + 750 + 1_000],
    // The cache of this list costs $0.083 on top of $1.50 of input, so a write costs at least $1.50.
    [
      'openrouter',
      'google/gemini-3.5-flash',
      { inputTokens: 1_000, cacheWriteTokens: 1_000, outputTokens: 0 },
      1_500,
    ],
    // $1 and $1, and $12 per thousand requests. The list has no price of a cache.
    ['perplexity', 'sonar', { inputTokens: 10, cachedInputTokens: 10, outputTokens: 10 }, 12_020],
    // Embeddings have no price of output. If output is reported, it is not free.
    ['openai', 'text-embedding-3-small', { inputTokens: 1_000, outputTokens: 1_000 }, 40],
  ])('%s %s %j: %d micro-dollars', (provider, model, usage, micros) => {
    expect(cost({ provider, model }, usage)).toBe(micros);
  });
});

test.each<[string, object[], TokenUsage, micros: number | null]>([
  ['a model that no list and no policy prices has no price', [{}], CACHED, null],
  ['without prices of a cache, cached tokens cost as much as others', [price(3)], CACHED, 3_000 + 1_000],
  [
    'the document may state the prices of its cache',
    [price(3, { cachedInputPerMillion: 0.3, cacheWritePerMillion: 3.75, perCall: 0.001 })],
    CACHED,
    300 + 180 + 1_125 + 1_000 + 1_000,
  ],
  ['the highest price of several policies counts', [price(3), price(5), {}], CACHED, 6_000],
  [
    'tiers ignore usage',
    [{ defaultChargingPolicy: { type: 'TIERED', attempt: 1, success: 1 } }],
    CACHED,
    null,
  ],
])('%s', (_, policies, usage, micros) => {
  expect(cost({ model: 'my-model' }, usage, policies)).toBe(micros);
});

test('a price of the document replaces the lists', () => {
  const policies = [{ modelPrices: { 'gpt-4o': { inputPerMillion: 1, outputPerMillion: 1 } } }];
  expect(cost({ provider: 'openai', model: 'gpt-4o' }, CACHED, policies)).toBe(1_100);
});

test('states each price once, and none that another price covers', () => {
  const [cheap, dear] = [price(3), price(5)];
  expect(pricesOf({ model: 'my-model' }, [cheap, dear, cheap])).toEqual(
    pricesOf({ model: 'my-model' }, [dear]),
  );
  const calls = { provider: 'openai', model: 'gpt-4o' };
  expect(pricesOf(calls, [{}, { maxCostTotal: 1 }])).toEqual(pricesOf(calls));
});

test('states one price that covers all if there are too many', () => {
  const policies = Array.from({ length: 9 }, (_, at) => ({
    modelPrices: { 'my-model': { inputPerMillion: at, outputPerMillion: 9 - at } },
  }));
  const input = { inputMicros: 8_000_000, cachedInputMicros: 8_000_000, cacheWriteMicros: 8_000_000 };
  expect(pricesOf({ model: 'my-model' }, policies)).toEqual([
    { fromInputTokens: 0, ...input, outputMicros: 9_000_000, perCallMicros: 0 },
  ]);
  expect(pricesOf({ model: 'my-model' }, policies.slice(1))).toHaveLength(8);
});

const models = ['anthropic', 'openai', 'google', 'openrouter', 'aws', 'deepseek', 'mistral'].flatMap(
  (provider) =>
    (findProvider({ providerId: provider })?.models ?? []).map(({ id }) => ({ provider, model: id })),
);
const tokens = fc.oneof(fc.nat(2_000), fc.nat(3_000_000));
const times = fc.date({ min: new Date('2024-01-01'), max: new Date('2027-06-01'), noInvalidDate: true });

test('usage without a cache costs as much as the reservation for the same tokens', () => {
  let compared = 0;
  const providers = fc
    .constantFrom(...models)
    .chain((named) => fc.constantFrom(named, { model: named.model }));
  fc.assert(
    fc.property(providers, tokens, tokens, times, (named, inputTokens, outputTokens, time) => {
      const { prices } = knownCall(named);
      const reserved =
        prices && priceOfLlmCall(prices, { input: inputTokens, maxOutput: outputTokens }, time.getTime());
      if (reserved === null) return;
      const charged = cost(named, { inputTokens, outputTokens }, [{}], time.getTime());
      // A list without a rate for output reserves nothing for it, so another list may price the usage higher.
      if ('provider' in named) expect(charged).toBe(reserved.micros);
      else expect(charged).toBeGreaterThanOrEqual(reserved.micros);
      compared += 1;
    }),
    { numRuns: runs(2_000) },
  );
  expect(compared).toBeGreaterThan(hits(1_000));
});

test('agrees with the library about tokens from a cache, within its rounding', () => {
  let compared = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...models),
      tokens,
      tokens,
      tokens,
      times,
      (named, fresh, cached, output, time) => {
        const theirs = calcPrice(
          { input_tokens: fresh + cached, cache_read_tokens: cached, output_tokens: output },
          named.model,
          { providerId: named.provider, timestamp: time },
        );
        const own = knownCall(named).prices?.own;
        if (theirs === null || own?.source !== `genai-prices:${theirs.provider.id}/${theirs.model.id}`)
          return;
        const { input_mtok, output_mtok, cache_read_mtok } = theirs.model_price;
        if (input_mtok === undefined || output_mtok === undefined || cache_read_mtok === undefined) return;
        const usage = { inputTokens: fresh + cached, cachedInputTokens: cached, outputTokens: output };
        const charged = cost(named, usage, [{}], time.getTime());
        const exact = theirs.total_price * 1e6;
        expect(charged).toBeGreaterThanOrEqual(exact - 1e-3);
        expect(charged).toBeLessThan(exact + 1 + 1e-3);
        compared += 1;
      },
    ),
    { numRuns: runs(3_000) },
  );
  expect(compared).toBeGreaterThan(hits(500));
});

test('follows the lists when a price changes, for each model', () => {
  const pricesAt = tokenPricesOf(pricingsOf([{}]));
  const changes = ['2024-01-01T00:00Z', '2026-11-01T01:00Z', '2026-11-01T13:00Z', '2024-01-01T00:00Z'].map(
    (time) =>
      models.map((named) => {
        const found = pricesAt(knownCall(named), Date.parse(time));
        expect(found).toEqual(pricesOf(named, [{}], Date.parse(time)));
        return found;
      }),
  );
  const [first, second, third] = changes.map((found) => JSON.stringify(found));
  expect(new Set([first, second, third]).size).toBe(3);
});

test('every rate of the lists is a whole number of micro-dollars for a million tokens, or is rounded up', () => {
  const seen = new Set<TokenPrice>();
  for (const named of models) for (const one of pricesOf(named) ?? []) seen.add(one);
  expect(seen.size).toBeGreaterThan(100);
  for (const one of seen) {
    expect(Object.values(one).every((amount) => Number.isSafeInteger(amount) && amount >= 0)).toBe(true);
    expect(one.cacheWriteMicros).toBeGreaterThanOrEqual(one.inputMicros);
  }
});
