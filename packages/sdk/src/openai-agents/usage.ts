/** The tokens of a model call, as the OpenAI Agents SDK states them. */
import { isCount, usageOfCounts } from '../adapters/count-tokens.ts';
import { fieldsOf } from '../adapters/read-answers.ts';
import type { TokenUsage } from '../types.ts';

type Stated = {
  inputTokens: number;
  outputTokens: number;
  inputTokensDetails?: object | undefined;
  outputTokensDetails?: object | undefined;
};

/** Returns the tokens that the provider billed. Null if the response states no tokens. */
export function usageOf({ inputTokens, outputTokens, ...details }: Stated): TokenUsage | null {
  if (!(inputTokens > 0) && !(outputTokens > 0)) return null;
  return usageOfCounts({
    inputTokens,
    cachedInputTokens: sumOf(details.inputTokensDetails, 'cached_tokens'),
    cacheWriteTokens: sumOf(details.inputTokensDetails, 'cache_write_tokens'),
    outputTokens,
    reasoningTokens: sumOf(details.outputTokensDetails, 'reasoning_tokens'),
  });
}

/** The details of a response are one object, or a list with an object for each request. */
function sumOf(details: object | undefined, name: string): number {
  return [details ?? []]
    .flat()
    .map((one) => fieldsOf(one)[name])
    .filter(isCount)
    .reduce((sum, count) => sum + count, 0);
}
