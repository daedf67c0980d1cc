/** The options of the adapter for LangChain. */
import { DEFAULT_MAX_OUTPUT_TOKENS, estimateTokens } from '../adapters/estimate-tokens.ts';
import type { AgentOptions } from '../mandate.ts';

export type LangChainOptions = AgentOptions & {
  /** The output tokens that a model call reserves if the model states no limit. Absent: 4,096. */
  maxOutputTokens?: number;
  /** Counts the tokens of a text. Absent: one token for each three bytes. */
  countTokens?: (text: string) => number;
};

export type TokenRules = { maxOutputTokens: number; countTokens: (text: string) => number };

export function tokenRulesOf({
  maxOutputTokens = DEFAULT_MAX_OUTPUT_TOKENS,
  countTokens = estimateTokens,
}: LangChainOptions): TokenRules {
  return { maxOutputTokens, countTokens };
}
