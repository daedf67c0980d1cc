/** The size of an LLM call, if no tokenizer is given. */
import { bytesOf, tokensOfBytes } from '../model-calls/estimate-tokens.ts';

/**
 * Returns more tokens than nearly every text has: one for each three bytes of its JSON. A call reserves this amount,
 * and settles to what the provider bills.
 */
export function estimateTokens(input: unknown): number {
  const json = typeof input === 'string' ? input : (JSON.stringify(input) ?? '');
  return Math.max(1, tokensOfBytes(bytesOf(json)));
}

/** The output tokens that a call reserves if neither the caller nor the model states a limit. */
export const DEFAULT_MAX_OUTPUT_TOKENS = 4_096;
