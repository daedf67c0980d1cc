/** Makes the usage of a call from the counts that a provider or a framework states. */
import type { TokenUsage } from '../types.ts';

/** The counts as they were read. Nothing is known about their types. */
type StatedCounts = { [Name in keyof TokenUsage]?: unknown };

/**
 * Returns the usage. Null if the input or the output is no count. A part is left out if it is no count, or is more than
 * the whole, because a record with such a part would be refused.
 */
export function usageOfCounts(stated: StatedCounts): TokenUsage | null {
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, reasoningTokens } = stated;
  if (!isCount(inputTokens) || !isCount(outputTokens)) return null;
  const usage: TokenUsage = { inputTokens, outputTokens };
  if (isPart(cachedInputTokens, inputTokens)) usage.cachedInputTokens = cachedInputTokens;
  const others = inputTokens - (usage.cachedInputTokens ?? 0);
  if (isPart(cacheWriteTokens, others)) usage.cacheWriteTokens = cacheWriteTokens;
  if (isPart(reasoningTokens, outputTokens)) usage.reasoningTokens = reasoningTokens;
  return usage;
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isPart(value: unknown, whole: number): value is number {
  return isCount(value) && value > 0 && value <= whole;
}
