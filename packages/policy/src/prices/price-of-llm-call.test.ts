import { hits, runs } from '@mandate/testing';
import { calcPrice, findProvider } from '@pydantic/genai-prices';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { knownCall } from '../models/known-call.ts';
import { type LlmPrice, priceOfLlmCall } from './price-of-llm-call.ts';

type Call = {
  provider?: string | undefined;
  model: string;
  inputTokens: number;
  maxOutputTokens: number;
  atMs: number;
};

function priced({ provider, model, inputTokens, maxOutputTokens, atMs }: Call): LlmPrice | null {
  const { prices } = knownCall({ provider, model });
  return prices && priceOfLlmCall(prices, { input: inputTokens, maxOutput: maxOutputTokens }, atMs);
}

const at = (time: string) => Date.parse(time);
const atMs = at('2026-11-01T12:00:00Z');

describe('prices equal what the providers publish', () => {
  test.each<[provider: string | undefined, model: string, input: number, output: number, micros: number]>([
    // $3 and $15 per million tokens of input and output; above 200,000 tokens of input $6 and $22.50.
    ['anthropic', 'claude-sonnet-4-5', 1_200, 800, 15_600],
    ['anthropic', 'claude-sonnet-4-5-20250929', 1_200, 800, 15_600],
    [undefined, 'claude-sonnet-4-5', 200_000, 1_000, 615_000],
    [undefined, 'claude-sonnet-4-5', 200_001, 1_000, 1_222_506],
    ['openrouter', 'anthropic/claude-sonnet-4.5', 1_200, 800, 15_600],
    // $0.80 and $4 per million tokens.
    [undefined, 'claude-3-5-haiku-latest', 1, 0, 1],
    [undefined, 'claude-3-5-haiku-latest', 5, 0, 4],
    // Per million tokens: $2.50 and $10, then $1.25 and $10, then $0.05 and $0.40.
    [undefined, 'gpt-4o', 1_000, 1_000, 12_500],
    ['openai', 'GPT-5', 1_000, 1_000, 11_250],
    ['openai', 'gpt-5-nano', 3, 0, 1],
    // $1.25 and $10 per million tokens; above 200,000 tokens of input $2.50 and $15.
    ['google', 'gemini-2.5-pro', 200_000, 10, 250_100],
    ['google', 'gemini-2.5-pro', 200_001, 10, 500_153],
    // $1 and $1 per million tokens, and $12 per thousand requests.
    ['perplexity', 'sonar', 10, 10, 12_020],
    // The list states 0.18000000000000002, the result of adding floating-point numbers.
    ['huggingface_together', 'qwen/qwen3-vl-8b-instruct', 1_000_000, 0, 180_000],
    // Embeddings have no output, so only the input is billed.
    ['openai', 'text-embedding-3-small', 1_000, 0, 20],
    [undefined, 'gpt-4o', 0, 0, 0],
  ])('%s %s, %d in, %d out: %d micro-dollars', (provider, model, inputTokens, maxOutputTokens, micros) => {
    expect(priced({ provider, model, inputTokens, maxOutputTokens, atMs })?.micros).toBe(micros);
  });

  test.each<[model: string, when: string, micros: number]>([
    // $10 and $40 per million tokens until June 10th 2025, then $2 and $8.
    ['o3', '2025-06-09T23:59:59.999Z', 50_000],
    ['o3', '2025-06-10T00:00:00Z', 10_000],
    // $0.27 and $1.10 per million tokens by day, $0.135 and $0.55 in the discount hours.
    ['deepseek-chat', '2025-07-01T00:29:59.999Z', 685],
    ['deepseek-chat', '2025-07-01T00:30:00Z', 1_370],
    ['deepseek-chat', '2025-07-01T16:29:59.999Z', 1_370],
    ['deepseek-chat', '2025-07-01T16:30:00Z', 685],
    ['deepseek-chat', '1969-12-31T12:00:00Z', 1_370],
    ['deepseek-chat', '1969-12-31T20:00:00Z', 685],
  ])('%s at %s', (model, when, micros) => {
    const provider = model === 'o3' ? 'openai' : 'deepseek';
    const call = { provider, model, inputTokens: 1_000, maxOutputTokens: 1_000, atMs: at(when) };
    expect(priced(call)?.micros).toBe(micros);
  });
});

test('names the list entry of the price', () => {
  const call = { model: 'claude-sonnet-4-5', inputTokens: 1, maxOutputTokens: 1, atMs };
  expect(priced(call)?.source).toBe('genai-prices:anthropic/claude-sonnet-4-5');
});

test.each<[why: string, provider: string | undefined, model: string, input: number, output: number]>([
  ['an unknown model', undefined, 'house-model-1', 1, 1],
  ['a model with a known name by an unknown maker', undefined, 'mallory/gpt-4o', 1, 1],
  ['a model that its list names without a price', 'openrouter', 'meta-llama/llama-4-scout:free', 1, 1],
  ['a model without a rate for output', 'openai', 'text-embedding-3-small', 1, 1],
  ['a model that is billed by the second', 'groq', 'whisper-large-v3', 0, 0],
  ['an empty name', undefined, '', 1, 1],
  ['a name that is too long', undefined, 'claude'.repeat(50), 1, 1],
  ['a name that every object inherits', undefined, '__proto__', 1, 1],
])('%s: has no price', (_, provider, model, inputTokens, maxOutputTokens) => {
  const call = { provider, model, inputTokens, maxOutputTokens, atMs };
  expect(priced(call)).toBeNull();
  expect(priced(call)).toBeNull();
});

test.each<[inputTokens: number, micros: number]>([
  // The price is 0.15 micro-dollars per token. For token counts up to the first count below, the cost in hundredths
  // of micro-dollars is a safe integer.
  [600_479_950_316_066, 90_071_992_547_410],
  [600_479_950_316_067, 90_071_992_547_411],
  [600_479_950_316_068, 90_071_992_547_411],
  [6_004_799_503_160_673, 900_719_925_474_101],
])('%d tokens cost exactly %d micro-dollars', (inputTokens, micros) => {
  const call = { model: 'gpt-4o-mini', inputTokens, maxOutputTokens: 0, atMs };
  expect(priced(call)?.micros).toBe(micros);
});

test('a price beyond the safe integers becomes the largest safe integer', () => {
  const call = { model: 'gpt-4o', inputTokens: Number.MAX_SAFE_INTEGER, maxOutputTokens: 0, atMs };
  expect(priced(call)?.micros).toBe(Number.MAX_SAFE_INTEGER);
});

const providers = [
  'anthropic',
  'openai',
  'google',
  'openrouter',
  'azure',
  'aws',
  'deepseek',
  'mistral',
  'perplexity',
];
const models = providers.flatMap((provider) =>
  (findProvider({ providerId: provider })?.models ?? []).map(({ id }) => ({ provider, model: id })),
);
const sourceOf = (found: ReturnType<typeof calcPrice>) =>
  found && `genai-prices:${found.provider.id}/${found.model.id}`;
const tokens = fc.oneof(fc.nat(2_000), fc.nat(3_000_000));

test('agrees with the library within its rounding, for every period, tier and fee of the lists', () => {
  const times = fc.date({ min: new Date('2024-01-01'), max: new Date('2027-06-01'), noInvalidDate: true });
  expect(models.length).toBeGreaterThan(hits(800));
  let compared = 0;
  fc.assert(
    fc.property(fc.constantFrom(...models), tokens, tokens, times, (named, input, output, timestamp) => {
      const price = priced({
        ...named,
        inputTokens: input,
        maxOutputTokens: output,
        atMs: timestamp.getTime(),
      });
      const options = { providerId: named.provider, timestamp };
      const theirs = calcPrice({ input_tokens: input, output_tokens: output }, named.model, options);
      // If the entry has no price, our price comes from another list, so the prices are not compared.
      if (price === null || price.source !== sourceOf(theirs)) return;
      const exact = (theirs?.total_price ?? Number.NaN) * 1e6;
      expect(price.micros).toBeGreaterThanOrEqual(exact - 1e-3);
      expect(price.micros).toBeLessThan(exact + 1 + 1e-3);
      compared += 1;
    }),
    { numRuns: runs(3_000) },
  );
  expect(compared).toBeGreaterThan(hits(1_500));
});

test('a price that is not rounded is exact: a thousand times the tokens cost a thousand times as much', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 1_000 }), (thousands, times) => {
      // These counts are below all thresholds. The list prices here have at most three decimals, so thousands of
      // tokens cost whole micro-dollars.
      const cost = (count: number) =>
        priced({ model: 'gpt-4o-mini', inputTokens: count, maxOutputTokens: count, atMs })?.micros ?? -1;
      expect(cost(thousands * 1_000 * times)).toBe(cost(thousands * 1_000) * times);
    }),
  );
});

test('more tokens never cost less', () => {
  fc.assert(
    fc.property(fc.constantFrom(...models), tokens, tokens, tokens, (named, input, output, more) => {
      const cost = (inputTokens: number, maxOutputTokens: number) =>
        priced({ ...named, inputTokens, maxOutputTokens, atMs })?.micros ?? 0;
      expect(cost(input + more, output)).toBeGreaterThanOrEqual(cost(input, output));
      if (cost(input, output + more) > 0) {
        expect(cost(input, output + more)).toBeGreaterThanOrEqual(cost(input, output));
      }
    }),
  );
});

test('the cost of the input equals the cost of the same call without output', () => {
  let compared = 0;
  fc.assert(
    fc.property(fc.constantFrom(...models), tokens, tokens, (named, inputTokens, maxOutputTokens) => {
      const whole = priced({ ...named, inputTokens, maxOutputTokens, atMs });
      if (whole === null || whole.inputMicros === null) return;
      const withoutOutput = priced({ ...named, inputTokens, maxOutputTokens: 0, atMs });
      expect(whole.inputMicros).toBe(withoutOutput?.micros);
      compared += 1;
    }),
  );
  expect(compared).toBeGreaterThan(hits(50));
});

test('finds the same list entry for a model as the library', () => {
  let priced = 0;
  for (const { provider, model } of models) {
    const theirs = calcPrice({}, model, { providerId: provider, timestamp: new Date(atMs) });
    const isPriced = ['input_mtok', 'output_mtok'].some((rate) => theirs?.model_price[rate] !== undefined);
    if (!isPriced) continue;
    priced += 1;
    expect(knownCall({ provider, model }).prices?.own?.source, `${provider} ${model}`).toBe(sourceOf(theirs));
  }
  expect(priced).toBeGreaterThan(hits(800));
});

describe('a call without a known provider costs as much as in the most expensive list', () => {
  test.each<
    [provider: string | undefined, model: string, micros: number, source: string, inputMicros: number | null]
  >([
    // DeepSeek's prices are $0.55 and $2.19. The most expensive of six lists has $3 and $7.
    [undefined, 'deepseek-r1', 10_000, 'huggingface_together/deepseek-ai/DeepSeek-R1', null],
    ['deepseek', 'deepseek-r1', 2_740, 'deepseek/deepseek-reasoner', 550],
    ['no-such-provider', 'deepseek-r1', 10_000, 'huggingface_together/deepseek-ai/DeepSeek-R1', null],
    // The provider is known, but its list does not contain the model.
    ['openai', 'claude-sonnet-4-5', 18_000, 'anthropic/claude-sonnet-4-5', null],
    // Google's list prices the model at $0 for a while. A price of $0 does not count as a price.
    ['google', 'gemma-3-27b-it', 800, 'huggingface_nebius/google/gemma-3-27b-it', null],
  ])('%s %s', (provider, model, micros, source, inputMicros) => {
    const call = { provider, model, inputTokens: 1_000, maxOutputTokens: 1_000, atMs };
    expect(priced(call)).toEqual({ micros, source: `genai-prices:${source}`, inputMicros });
  });

  test('a call without a provider costs at least as much as with any provider', () => {
    fc.assert(
      fc.property(fc.constantFrom(...models), tokens, tokens, ({ provider, model }, input, output) => {
        const call = { model, inputTokens: input, maxOutputTokens: output, atMs };
        const own = priced({ ...call, provider });
        const mostExpensive = priced({ ...call, provider: 'nobody-knows' });
        expect(mostExpensive?.micros ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(own?.micros ?? 0);
      }),
      { numRuns: runs(1_000) },
    );
  });
});

test.each([
  ['gpt-4o', 'GPT-4o'],
  ['gpt-4o', 'openai/gpt-4o'],
  ['gpt-4o', 'azure/gpt-4o'],
  ['claude-3-5-sonnet-20241022', 'us.anthropic.claude-3-5-sonnet-20241022-v2:0'],
  ['claude-3-5-sonnet-20241022', 'vertex_ai/claude-3-5-sonnet@20241022'],
  ['gemini-2.5-pro', 'models/gemini-2.5-pro'],
  ['claude-opus-4-1', 'openrouter/anthropic/claude-opus-4.1'],
])('%s costs as much as %s', (one, other) => {
  const call = { inputTokens: 1_000, maxOutputTokens: 1_000, atMs };
  expect(priced({ ...call, model: other })?.micros).toBe(priced({ ...call, model: one })?.micros);
  expect(priced({ ...call, model: one })).not.toBeNull();
});
