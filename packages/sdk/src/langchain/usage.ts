/** The tokens of a model call, as LangChain states them. */
import type { LLMResult } from '@langchain/core/outputs';
import type { TokenUsage } from '../types.ts';

/** Returns the tokens that the provider billed. Null if the result does not state them. */
export function usageOf(result: LLMResult): TokenUsage | null {
  let whole: TokenUsage | null = null;
  for (const generation of result.generations.flat()) {
    const usage = readUsage(
      (generation as { message?: { usage_metadata?: unknown } }).message?.usage_metadata,
    );
    if (usage === null) continue;
    // Several answers to one request state the same input.
    if (whole === null || usage.outputTokens > whole.outputTokens) whole = usage;
  }
  return whole;
}

/** Returns the tokens that a message states. Null if it states none. */
export function usageOfMessage(message: unknown): TokenUsage | null {
  if (typeof message !== 'object' || message === null || !('usage_metadata' in message)) return null;
  return readUsage(message.usage_metadata);
}

function readUsage(metadata: unknown): TokenUsage | null {
  if (typeof metadata !== 'object' || metadata === null) return null;
  const { input_tokens, output_tokens, input_token_details, output_token_details } = metadata as Metadata;
  if (!isCount(input_tokens) || !isCount(output_tokens)) return null;
  const { cache_read, cache_creation } = input_token_details ?? {};
  const { reasoning } = output_token_details ?? {};
  return {
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    ...(isCount(cache_read) ? { cachedInputTokens: cache_read } : {}),
    ...(isCount(cache_creation) ? { cacheWriteTokens: cache_creation } : {}),
    ...(isCount(reasoning) ? { reasoningTokens: reasoning } : {}),
  };
}

type Metadata = {
  input_tokens?: unknown;
  output_tokens?: unknown;
  input_token_details?: { cache_read?: unknown; cache_creation?: unknown };
  output_token_details?: { reasoning?: unknown };
};

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
