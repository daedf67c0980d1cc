/** Converts the AI SDK's token counts into Mandate's form, and estimates the input of a call. */
import { tokensOfJson, usageOfCounts } from '../adapters/count-tokens.ts';
import { fieldsOf } from '../adapters/read-answers.ts';
import type { TokenUsage } from '../types.ts';

/**
 * Returns the usage from the answer of a model (specification v3 or v4 of the AI SDK). Null if a number of tokens is
 * missing.
 */
export function usageOf(stated: unknown): TokenUsage | null {
  const { inputTokens, outputTokens } = fieldsOf(stated);
  const input = fieldsOf(inputTokens);
  const output = fieldsOf(outputTokens);
  return usageOfCounts({
    inputTokens: input.total,
    cachedInputTokens: input.cacheRead,
    cacheWriteTokens: input.cacheWrite,
    outputTokens: output.total,
    reasoningTokens: output.reasoning,
  });
}

/** Returns an estimate of the input tokens of a call. */
export function estimatedInputTokens({ prompt, tools, responseFormat }: Record<string, unknown>): number {
  return tokensOfJson({ prompt, tools, responseFormat }, isImage);
}

function isImage(value: unknown): boolean {
  const { mediaType } = fieldsOf(value);
  return typeof mediaType === 'string' && mediaType.startsWith('image/');
}
