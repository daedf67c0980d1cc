/** The tokens of a model call, as the OpenAI Agents SDK states them. */
import type { TokenUsage } from '../types.ts';

type Details = Readonly<Record<string, number>>;
type Stated = {
  inputTokens: number;
  outputTokens: number;
  inputTokensDetails?: Details | readonly Details[] | undefined;
  outputTokensDetails?: Details | readonly Details[] | undefined;
};

/** Returns the tokens that the provider billed. Null if the response states none. */
export function usageOf({ inputTokens, outputTokens, ...details }: Stated): TokenUsage | null {
  if (!(inputTokens > 0) && !(outputTokens > 0)) return null;
  return {
    inputTokens,
    outputTokens,
    ...field('cachedInputTokens', details.inputTokensDetails, 'cached_tokens'),
    ...field('cacheWriteTokens', details.inputTokensDetails, 'cache_write_tokens'),
    ...field('reasoningTokens', details.outputTokensDetails, 'reasoning_tokens'),
  };
}

function field(name: keyof TokenUsage, details: Stated['inputTokensDetails'], key: string): object {
  const stated = [details ?? []].flat() as readonly Details[];
  const sum = stated.reduce((total, one) => total + (one[key] ?? 0), 0);
  return sum > 0 ? { [name]: sum } : {};
}
