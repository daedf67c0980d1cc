/** Converts the usage that Anthropic states into Mandate's form. */
import { isCount, usageOfCounts } from '../adapters/count-tokens.ts';
import { fieldsOf } from '../adapters/read-answers.ts';
import type { TokenUsage } from '../types.ts';

/**
 * Returns the usage of a message. Anthropic counts cached input and the work of compactions separately. Null if the
 * value is not a usage.
 *
 * @param started the usage at the start of the stream, because the end of a stream may state only the output
 */
export function usageOf(stated: unknown, started: TokenUsage | null = null): TokenUsage | null {
  const counts = fieldsOf(stated);
  const cached = counts.cache_read_input_tokens ?? started?.cachedInputTokens ?? 0;
  const written = counts.cache_creation_input_tokens ?? started?.cacheWriteTokens ?? 0;
  const fresh = counts.input_tokens ?? uncachedOf(started);
  if (!isCount(cached) || !isCount(written) || !isCount(fresh)) return null;
  const usage = usageOfCounts({
    inputTokens: fresh + cached + written,
    cachedInputTokens: cached,
    cacheWriteTokens: written,
    outputTokens: counts.output_tokens,
    reasoningTokens: fieldsOf(counts.output_tokens_details).thinking_tokens,
  });
  return usage === null ? null : withCompactions(usage, counts.iterations);
}

function uncachedOf(started: TokenUsage | null): number | null {
  if (started === null) return null;
  const { inputTokens, cachedInputTokens = 0, cacheWriteTokens = 0 } = started;
  return inputTokens - cachedInputTokens - cacheWriteTokens;
}

/** The counts of a message do not contain the compactions of its context, which are billed too. */
function withCompactions(usage: TokenUsage, iterations: unknown): TokenUsage {
  if (!Array.isArray(iterations)) return usage;
  const sum = { cachedInputTokens: 0, cacheWriteTokens: 0, ...usage };
  for (const iteration of iterations.map(fieldsOf)) {
    const more = iteration.type === 'compaction' ? usageOf({ ...iteration, iterations: null }) : null;
    if (more === null) continue;
    sum.inputTokens += more.inputTokens;
    sum.cachedInputTokens += more.cachedInputTokens ?? 0;
    sum.cacheWriteTokens += more.cacheWriteTokens ?? 0;
    sum.outputTokens += more.outputTokens;
  }
  return sum;
}
