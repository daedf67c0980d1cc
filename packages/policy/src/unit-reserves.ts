/**
 * Computes what an LLM call reserves in units other than money, and how its outcome settles it (ADR 79, ADR 84).
 * Policies that do not limit a unit have no part in its number. If policies differ, the rule that charges more counts.
 */
import type { Action, LlmCall, UnitReserve } from '@mandate/schemas';
import { type ByUnit, CAPS, COUNTER_UNITS, type CounterUnit, DEFAULTS } from '@mandate/schemas/core';
import type { Calls } from './checks/check.ts';
import type { DefaultTokens, Policy } from './mandate/mandate.ts';
import type { KnownCall } from './models/known-call.ts';
import { billsOutput } from './prices/price-of-llm-call.ts';
import { fewestReleases } from './settling.ts';

export type UnitReservesOf = (action: Action, call: KnownCall, atMs: number) => ByUnit<UnitReserve>;

/**
 * What a call reserves in a unit, and how it settles. `most`: the cap on the reported amount, for counters that agents
 * share. `byAttempt`: a failure may cost as much as a success.
 */
type Rule = {
  reserve(action: LlmCall, call: KnownCall, policy: Policy, atMs: number): number;
  most(reserve: number): number;
  byAttempt: boolean;
};

const RULES: Readonly<Record<CounterUnit, Rule>> = {
  tokens: {
    reserve: (action, call, { defaultTokens }, atMs) => tokensOfCall(action, call, defaultTokens, atMs) ?? 0,
    most: (reserve) => upTo(DEFAULTS.actualCostFactor * reserve),
    byAttempt: true,
  },
  // The number is unknown before the answer. One reserved call keeps parallel calls from sharing the last one. An
  // answer that asks for no tool gives it back, however failures are charged.
  toolCalls: {
    reserve: () => 1,
    most: () => DEFAULTS.sharedToolCallsPerAnswer,
    byAttempt: false,
  },
};

/** Returns null if the calls use no model, or if no policy limits a unit other than money. */
export function unitReservesOf(calls: readonly Calls[]): UnitReservesOf | null {
  const limited = COUNTER_UNITS.flatMap((unit) => {
    const policies = calls.filter(({ judgedAs, policy }) => judgedAs === 'model' && limitsUnit(policy, unit));
    return policies.length === 0 ? [] : [{ unit, rule: RULES[unit], policies }];
  });
  if (limited.length === 0) return null;
  const isByAttempt = calls.some(({ policy }) => policy.charging.type === 'ATTEMPT_BASED');
  const fewest = fewestReleases(calls);
  return (action, call, atMs) => {
    const reserves: ByUnit<UnitReserve> = {};
    for (const { unit, rule, policies } of limited) {
      const reserve = Math.max(
        ...policies.map(({ policy }) => rule.reserve(action as LlmCall, call, policy, atMs)),
      );
      reserves[unit] = {
        reserve,
        settling: {
          charging: isByAttempt && rule.byAttempt ? 'ATTEMPT_BASED' : 'SUCCESS_BASED',
          most: rule.most(reserve),
          releases: fewest && { amount: upTo(fewest.calls * reserve), percent: fewest.percent },
        },
      };
    }
    return reserves;
  };
}

export function limitsUnit({ unitLimits }: Policy, unit: CounterUnit): boolean {
  return unitLimits[unit].length > 0;
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

function upTo(amount: number): number {
  return Math.min(amount, CAPS.amountOfUnit);
}
