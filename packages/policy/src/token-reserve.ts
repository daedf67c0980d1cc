/**
 * Computes the tokens that an LLM call reserves, and how its outcome settles them (ADR 79). Policies that do not limit
 * tokens have no part in the number. If policies differ, the rule that charges more counts.
 */
import type { Action, LlmCall, TokenReserve } from '@mandate/schemas';
import { CAPS, DEFAULTS } from '@mandate/schemas/core';
import type { Calls } from './checks/check.ts';
import type { DefaultTokens, Policy } from './mandate/mandate.ts';
import type { KnownCall } from './models/known-call.ts';
import { billsOutput } from './prices/price-of-llm-call.ts';
import { fewestReleases } from './settling.ts';

export type TokenReserveOf = (action: Action, call: KnownCall, atMs: number) => TokenReserve;

/** Returns null if the calls use no tokens, or if no policy limits tokens. */
export function tokenReserveOf(calls: readonly Calls[]): TokenReserveOf | null {
  const limiting = calls.filter(({ judgedAs, policy }) => judgedAs === 'model' && limitsTokens(policy));
  if (limiting.length === 0) return null;
  const isByAttempt = calls.some(({ policy }) => policy.charging.type === 'ATTEMPT_BASED');
  const fewest = fewestReleases(calls);
  return (action, call, atMs) => {
    const tokens = limiting.map(
      ({ policy }) => tokensOfCall(action as LlmCall, call, policy.defaultTokens, atMs) ?? 0,
    );
    const reserveTokens = Math.max(...tokens);
    return {
      reserveTokens,
      settling: {
        charging: isByAttempt ? 'ATTEMPT_BASED' : 'SUCCESS_BASED',
        mostTokens: upTo(DEFAULTS.actualCostFactor * reserveTokens),
        releases: fewest && { tokens: upTo(fewest.calls * reserveTokens), percent: fewest.percent },
      },
    };
  };
}

export function limitsTokens({ maxTokensTotal, tokenWindows }: Policy): boolean {
  return maxTokensTotal !== null || tokenWindows.length > 0;
}

/**
 * Returns the most tokens that the call can use: its input, and the longest output. Null if the call does not state
 * them, and the policy assumes none. The output of embeddings is 0.
 */
export function tokensOfCall(
  { inputTokens, maxOutputTokens }: LlmCall,
  { prices }: KnownCall,
  defaults: DefaultTokens,
  atMs: number,
): number | null {
  const input = inputTokens ?? defaults.input;
  const hasOutput = prices === null || billsOutput(prices, atMs);
  const maxOutput = maxOutputTokens ?? defaults.maxOutput ?? (hasOutput ? null : 0);
  return input === null || maxOutput === null ? null : upTo(input + maxOutput);
}

function upTo(tokens: number): number {
  return Math.min(tokens, CAPS.amountTokens);
}
