/** The tokens that an LLM call used, as its provider counts them. */
import { z } from 'zod';
import { CAPS } from './defaults.ts';
import { described } from './described.ts';

const tokens = z.int().min(0).max(CAPS.tokens);

export const tokenUsage = z
  .strictObject({
    inputTokens: described(
      tokens,
      'All input tokens: new tokens, tokens read from a cache, and tokens written to a cache.',
      9_200,
    ),
    cachedInputTokens: described(
      tokens.optional(),
      'How many of the input tokens were read from a cache. Default: 0.',
      8_000,
    ),
    cacheWriteTokens: described(
      tokens.optional(),
      'How many of the input tokens were written to a cache. Default: 0.',
      1_000,
    ),
    outputTokens: described(tokens, 'All output tokens, with the reasoning tokens.', 640),
    reasoningTokens: described(
      tokens.optional(),
      'How many of the output tokens were reasoning. They cost as much as other output. Absent if the number is unknown.',
      512,
    ),
  })
  .check(({ value, issues }) => {
    const {
      inputTokens,
      cachedInputTokens = 0,
      cacheWriteTokens = 0,
      outputTokens,
      reasoningTokens = 0,
    } = value;
    const refuse = (field: string, message: string) =>
      issues.push({ code: 'custom', continue: true, input: value, path: [field], message });
    if (cachedInputTokens + cacheWriteTokens > inputTokens) {
      refuse('inputTokens', 'must be at least cachedInputTokens and cacheWriteTokens together');
    }
    if (reasoningTokens > outputTokens) refuse('outputTokens', 'must be at least reasoningTokens');
  });
export type TokenUsage = z.infer<typeof tokenUsage>;
