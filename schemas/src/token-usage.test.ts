import { expect, test } from 'vitest';
import { CAPS } from './defaults.ts';
import { outcome } from './outcome.ts';
import { type TokenUsage, tokenUsage } from './token-usage.ts';

const parts = { cachedInputTokens: 60, cacheWriteTokens: 40, reasoningTokens: 20 };

test.each<[string, TokenUsage]>([
  ['parts as large as the whole', { inputTokens: 100, outputTokens: 20, ...parts }],
  ['no parts', { inputTokens: 0, outputTokens: 0 }],
  ['the most tokens', { inputTokens: CAPS.tokens, outputTokens: CAPS.tokens }],
])('accepts %s', (_, usage) => {
  expect(tokenUsage.parse(usage)).toEqual(usage);
});

test.each<[string, object, field: string]>([
  ['cached tokens and cache writes above the input', { inputTokens: 99 }, 'inputTokens'],
  ['more reasoning than output', { outputTokens: 19 }, 'outputTokens'],
  ['a negative count', { cachedInputTokens: -1 }, 'cachedInputTokens'],
  ['half a token', { outputTokens: 20.5 }, 'outputTokens'],
  ['more tokens than the cap', { inputTokens: CAPS.tokens + 1 }, 'inputTokens'],
  ['no count of the output', { outputTokens: undefined }, 'outputTokens'],
])('refuses %s', (_, wrong, field) => {
  const usage = { inputTokens: 100, outputTokens: 20, ...parts, ...wrong };
  const read = outcome.safeParse({ actionId: 'a', agentId: 'b', status: 'success', usage });
  expect(read.error?.issues.map(({ path }) => path)).toEqual([['usage', field]]);
});

test('refuses a field that it does not know', () => {
  const usage = { inputTokens: 1, outputTokens: 1, audioTokens: 1 };
  expect(tokenUsage.safeParse(usage).success).toBe(false);
});
