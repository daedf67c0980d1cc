import { expect, test } from 'vitest';
import { countedTokens, maxOutputOf, usageOfCounts } from './count-tokens.ts';

const named = { agentId: 'bot', model: 'm' };

test.each([
  [0, 1],
  [1.2, 2],
  [7, 7],
])('a counter that returns %s counts %s tokens', async (counted, tokens) => {
  expect(await countedTokens(() => counted, named)).toBe(tokens);
});

test('a count that fails blocks the call', async () => {
  const counting = countedTokens(() => Promise.reject(new Error('no tokenizer')), named);
  await expect(counting).rejects.toMatchObject({ name: 'MandateBlockedError', code: 'INTERNAL_ERROR' });
});

test('a call reserves its own limit of output tokens, or that of the option, or 4,096, or that of the mandate', () => {
  expect(maxOutputOf(7, { maxOutputTokens: 50 })).toEqual({ maxOutputTokens: 7 });
  expect(maxOutputOf(undefined, { maxOutputTokens: 50 })).toEqual({ maxOutputTokens: 50 });
  expect(maxOutputOf(undefined, {})).toEqual({ maxOutputTokens: 4_096 });
  expect(maxOutputOf(undefined, { maxOutputTokens: null })).toEqual({});
});

const whole = { inputTokens: 10, outputTokens: 5 };

test.each([whole, { ...whole, cachedInputTokens: 6, cacheWriteTokens: 4, reasoningTokens: 5 }])(
  '%j is returned unchanged',
  (stated) => {
    expect(usageOfCounts(stated)).toEqual(stated);
  },
);

test.each([
  { cachedInputTokens: 11 },
  { cacheWriteTokens: 11 },
  { reasoningTokens: 6 },
  { cachedInputTokens: 0, cacheWriteTokens: -1, reasoningTokens: 'x' },
])('the parts %j are left out', (parts) => {
  expect(usageOfCounts({ ...whole, ...parts })).toEqual(whole);
});

test('ignores a part if all parts together are more than the whole input', () => {
  const stated = { ...whole, cachedInputTokens: 6, cacheWriteTokens: 5 };
  expect(usageOfCounts(stated)).toEqual({ ...whole, cachedInputTokens: 6 });
});

test.each([
  {},
  { inputTokens: 1 },
  { inputTokens: 1.5, outputTokens: 1 },
  { inputTokens: '1', outputTokens: 1 },
])('%j is not a usage', (stated) => {
  expect(usageOfCounts(stated)).toBeNull();
});
