/** Finds the counters to which an action is charged, and the counters that belong to one agent. */

import type { BudgetLimit, Limit, TokenLimit } from '@mandate/schemas';
import { DEFAULTS, OPEN_CALLS, RELEASED_BUDGET, TOTAL_BUDGET } from '@mandate/schemas/core';
import type { RateReference } from './sliding-rate.ts';

/** `unit`: the counter is in tokens. Absent: it is in micro-dollars. */
export type BudgetReference = Pick<BudgetLimit, 'scope' | 'subject' | 'id' | 'windowMs'> & {
  unit?: 'tokens';
};

/** The lifetime spending of the agent. It is always counted, even if no plan lists it. */
export function totalOf(agentId: string): BudgetReference {
  return { scope: 'agent', subject: agentId, id: TOTAL_BUDGET, windowMs: null };
}

/**
 * The counter of releases: the amount that the agent's own reports released, minus the additional releases that its
 * successes allow.
 */
export function releasedOf(agentId: string): BudgetReference {
  return { scope: 'agent', subject: agentId, id: RELEASED_BUDGET, windowMs: null };
}

/** The same counter for tokens. */
export function releasedTokensOf(agentId: string): BudgetReference {
  return { ...releasedOf(agentId), unit: 'tokens' };
}

/** The counter of a limit on tokens. */
export function tokensOf({
  scope,
  subject,
  id,
  windowMs,
}: Pick<TokenLimit, 'scope' | 'subject' | 'id' | 'windowMs'>): BudgetReference {
  return { scope, subject, id, windowMs, unit: 'tokens' };
}

/** The open calls of the agent: calls that no outcome has settled. */
export function openCallsOf(agentId: string): RateReference {
  return { agentId, tool: OPEN_CALLS, windowMs: DEFAULTS.openWindowMs };
}

/** True if no other agent shares the budget. */
export function isOwnBudget(
  { scope, subject }: Pick<BudgetReference, 'scope' | 'subject'>,
  agentId: string,
): boolean {
  return scope === 'agent' && subject === agentId;
}

/** A counter to charge, and its limit in the unit of the counter. Null: the counter has no limit. */
export type Chargeable = { budget: BudgetReference; most: number | null };

/** Returns the counters of money to charge. The agent's total is the last of them. */
export function moneyToCharge(
  agentId: string,
  budgets: readonly (BudgetReference & Pick<BudgetLimit, 'maxMicros'>)[],
): Chargeable[] {
  const listed = budgets.map((budget): Chargeable => ({ budget, most: budget.maxMicros }));
  return [...listed, { budget: totalOf(agentId), most: null }];
}

/** Returns the counters of tokens to charge. */
export function tokensToCharge(limits: readonly Omit<TokenLimit, 'kind'>[]): Chargeable[] {
  return limits.map((limit) => ({ budget: tokensOf(limit), most: limit.maxTokens }));
}

export function isBudgetLimit(limit: Limit): limit is BudgetLimit {
  return limit.kind === 'budget';
}

export function isTokenLimit(limit: Limit): limit is TokenLimit {
  return limit.kind === 'tokens';
}

/**
 * A charged counter, and one of the budgets that use it. `most`: the strictest limit of these budgets. Null: no
 * budget limits the counter.
 */
export type Charged<Counter> = Chargeable & { counter: Counter };

/**
 * Returns every counter that an ALLOW charges, each once.
 *
 * @param counterOf must return the same counter for equal budgets
 */
export function chargedCounters<Counter>(
  chargeable: readonly Chargeable[],
  counterOf: (budget: BudgetReference) => Counter,
): Charged<Counter>[] {
  const charged: Charged<Counter>[] = [];
  for (const { budget, most } of chargeable) {
    const counter = counterOf(budget);
    const known = charged.find((one) => one.counter === counter);
    if (known === undefined) charged.push({ counter, budget, most });
    else known.most = tighter(known.most, most);
  }
  return charged;
}

function tighter(one: number | null, other: number | null): number | null {
  if (one === null) return other;
  return other === null ? one : Math.min(one, other);
}
