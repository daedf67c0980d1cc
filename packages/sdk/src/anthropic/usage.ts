/** Converts the usage that Anthropic states into tokens as Mandate counts them. */
import type { TokenUsage } from '../types.ts';

/**
 * Returns the usage of a message. Anthropic counts cached input and the work of compactions separately. Null if the
 * value is no usage.
 *
 * @param started what the start of the stream stated, because the end of a stream may state only the output
 */
export function usageOf(stated: unknown, started: TokenUsage | null = null): TokenUsage | null {
  if (typeof stated !== 'object' || stated === null) return null;
  const usage = stated as Record<string, unknown>;
  const output = tokensIn(usage, 'output_tokens');
  if (output === null) return null;
  const input = inputOf(usage, started);
  if (input === null) return null;
  const whole = { ...input, outputTokens: output };
  const details = usage.output_tokens_details;
  const thinking =
    typeof details === 'object' && details !== null ? tokensIn(details, 'thinking_tokens') : null;
  if (thinking !== null && thinking <= output) Object.assign(whole, { reasoningTokens: thinking });
  return addCompactions(whole, usage.iterations);
}

type Input = Pick<TokenUsage, 'inputTokens' | 'cachedInputTokens' | 'cacheWriteTokens'>;

function inputOf(usage: Record<string, unknown>, started: TokenUsage | null): Input | null {
  const read = tokensIn(usage, 'cache_read_input_tokens') ?? started?.cachedInputTokens ?? 0;
  const written = tokensIn(usage, 'cache_creation_input_tokens') ?? started?.cacheWriteTokens ?? 0;
  const startedNew =
    started === null
      ? null
      : started.inputTokens - (started.cachedInputTokens ?? 0) - (started.cacheWriteTokens ?? 0);
  const fresh = tokensIn(usage, 'input_tokens') ?? startedNew;
  if (fresh === null) return null;
  return { inputTokens: fresh + read + written, cachedInputTokens: read, cacheWriteTokens: written };
}

/** The counts of a message do not contain the compactions of its context, which are billed too. */
function addCompactions(whole: TokenUsage, iterations: unknown): TokenUsage {
  if (!Array.isArray(iterations)) return whole;
  let sum = whole;
  for (const iteration of iterations) {
    if (iteration?.type !== 'compaction') continue;
    const more = usageOf({ ...iteration, iterations: null });
    if (more === null) continue;
    sum = {
      ...sum,
      inputTokens: sum.inputTokens + more.inputTokens,
      cachedInputTokens: (sum.cachedInputTokens ?? 0) + (more.cachedInputTokens ?? 0),
      cacheWriteTokens: (sum.cacheWriteTokens ?? 0) + (more.cacheWriteTokens ?? 0),
      outputTokens: sum.outputTokens + more.outputTokens,
    };
  }
  return sum;
}

function tokensIn(counts: object, name: string): number | null {
  const count = (counts as Record<string, unknown>)[name];
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : null;
}
