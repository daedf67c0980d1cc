/** Computes what the token usage of an LLM call costs, by the prices that its plan had when the call was allowed. */
import type { TokenPrice, TokenUsage } from '@mandate/schemas';

/** Prices are for this many tokens. */
const TOKENS_PRICED = 1_000_000;

/**
 * Returns the highest price that applies, in micro-dollars, at most 2^53-1. It is exact, and rounded up once. Null if
 * there is no usage or no price.
 */
export function usageMicrosOf(
  prices: readonly TokenPrice[] | undefined,
  usage: TokenUsage | undefined,
): number | null {
  if (prices === undefined || usage === undefined) return null;
  const { inputTokens, cachedInputTokens = 0, cacheWriteTokens = 0, outputTokens } = usage;
  const newTokens = Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens);
  let most = 0;
  for (const price of prices) {
    if (inputTokens < price.fromInputTokens) continue;
    const cost = sumOf([
      [newTokens, price.inputMicros],
      [cachedInputTokens, price.cachedInputMicros],
      [cacheWriteTokens, price.cacheWriteMicros],
      [outputTokens, price.outputMicros],
    ]);
    most = Math.max(most, Math.min(cost + price.perCallMicros, Number.MAX_SAFE_INTEGER));
  }
  return most;
}

/**
 * Returns the sum of tokens × price, divided by a million and rounded up. The factors are split at a million, so that
 * every product below 2^53 is exact. A larger product stays larger than 2^53, and the caller cuts it. Lua computes the
 * same (parts/charge.lua).
 */
function sumOf(parts: readonly (readonly [tokens: number, micros: number])[]): number {
  let whole = 0;
  let rest = 0;
  for (const [tokens, micros] of parts) {
    const [tokensRest, microsRest] = [tokens % TOKENS_PRICED, micros % TOKENS_PRICED];
    whole += ((tokens - tokensRest) / TOKENS_PRICED) * micros;
    whole += tokensRest * ((micros - microsRest) / TOKENS_PRICED);
    rest += tokensRest * microsRest;
  }
  return whole + Math.ceil(rest / TOKENS_PRICED);
}
