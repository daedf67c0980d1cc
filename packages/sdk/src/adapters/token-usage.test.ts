import { expect, test } from 'vitest';
import { usageOfCounts } from './token-usage.ts';

const whole = { inputTokens: 10, outputTokens: 5 };

test.each([whole, { ...whole, cachedInputTokens: 6, cacheWriteTokens: 4, reasoningTokens: 5 }])(
  '%j is returned as it is',
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

test('parts of the input that are together more than all of it are not both taken', () => {
  const stated = { ...whole, cachedInputTokens: 6, cacheWriteTokens: 5 };
  expect(usageOfCounts(stated)).toEqual({ ...whole, cachedInputTokens: 6 });
});

test.each([
  {},
  { inputTokens: 1 },
  { inputTokens: 1.5, outputTokens: 1 },
  { inputTokens: '1', outputTokens: 1 },
])('%j is no usage', (stated) => {
  expect(usageOfCounts(stated)).toBeNull();
});
