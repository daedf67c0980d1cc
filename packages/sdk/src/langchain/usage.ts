/** The tokens of a model call, as LangChain states them. */
import type { LLMResult } from '@langchain/core/outputs';
import { usageOfCounts } from '../adapters/count-tokens.ts';
import { fieldsOf } from '../adapters/read-answers.ts';
import type { TokenUsage } from '../types.ts';

/** Returns the tokens that the provider billed. Null if the result does not state them. */
export function usageOf(result: LLMResult): TokenUsage | null {
  let whole: TokenUsage | null = null;
  for (const generation of result.generations.flat()) {
    const usage = usageOfMessage((generation as { message?: unknown }).message);
    if (usage === null) continue;
    // Several answers to one request state the same input.
    if (whole === null || usage.outputTokens > whole.outputTokens) whole = usage;
  }
  return whole;
}

/** Returns the tokens that a message states. Null if the message states no tokens. */
export function usageOfMessage(message: unknown): TokenUsage | null {
  const metadata = fieldsOf(fieldsOf(message).usage_metadata);
  const input = fieldsOf(metadata.input_token_details);
  const output = fieldsOf(metadata.output_token_details);
  return usageOfCounts({
    inputTokens: metadata.input_tokens,
    cachedInputTokens: input.cache_read,
    cacheWriteTokens: input.cache_creation,
    outputTokens: metadata.output_tokens,
    reasoningTokens: output.reasoning,
  });
}
