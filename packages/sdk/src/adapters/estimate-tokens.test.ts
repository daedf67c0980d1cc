import { expect, test } from 'vitest';
import { countedTokens, maxOutputOf } from './estimate-tokens.ts';

const named = { agentId: 'bot', model: 'm' };

test.each([
  [0, 1],
  [1.2, 2],
  [7, 7],
])('a count of %s is %s tokens', async (counted, tokens) => {
  expect(await countedTokens(() => counted, named)).toBe(tokens);
});

test('a count that fails blocks the call', async () => {
  const counting = countedTokens(() => Promise.reject(new Error('no tokenizer')), named);
  await expect(counting).rejects.toMatchObject({ name: 'MandateBlockedError', code: 'INTERNAL_ERROR' });
});

test('a call reserves its own limit, or the option, or 4,096 tokens, or what the mandate says', () => {
  expect(maxOutputOf(7, { maxOutputTokens: 50 })).toEqual({ maxOutputTokens: 7 });
  expect(maxOutputOf(undefined, { maxOutputTokens: 50 })).toEqual({ maxOutputTokens: 50 });
  expect(maxOutputOf(undefined, {})).toEqual({ maxOutputTokens: 4_096 });
  expect(maxOutputOf(undefined, { maxOutputTokens: null })).toEqual({});
});
