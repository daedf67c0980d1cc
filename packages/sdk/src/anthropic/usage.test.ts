import { expect, test } from 'vitest';
import { usageOf } from './usage.ts';

const stated = {
  input_tokens: 10,
  cache_read_input_tokens: 20,
  cache_creation_input_tokens: 30,
  output_tokens: 7,
  output_tokens_details: { thinking_tokens: 3 },
};
const usage = {
  inputTokens: 60,
  cachedInputTokens: 20,
  cacheWriteTokens: 30,
  outputTokens: 7,
  reasoningTokens: 3,
};

test('cached input is counted as a part of the whole input', () => {
  expect(usageOf(stated)).toEqual(usage);
});

test('the end of a stream may state only the output, and the start has the input', () => {
  expect(usageOf({ output_tokens: 9 }, { ...usage, outputTokens: 1 })).toEqual({
    inputTokens: 60,
    cachedInputTokens: 20,
    cacheWriteTokens: 30,
    outputTokens: 9,
  });
});

test('adds the tokens of compactions, and of no other iterations', () => {
  const compaction = { type: 'compaction', input_tokens: 100, output_tokens: 1, cache_read_input_tokens: 5 };
  const iterations = [compaction, { ...compaction, type: 'message' }];
  expect(usageOf({ ...stated, iterations })).toEqual({
    ...usage,
    inputTokens: 165,
    cachedInputTokens: 25,
    outputTokens: 8,
  });
});

test.each([null, {}, { input_tokens: 1 }, { ...stated, cache_read_input_tokens: 'x' }])(
  '%j is not a usage',
  (value) => {
    expect(usageOf(value)).toBeNull();
  },
);
