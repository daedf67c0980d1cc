/** Finds the counters to which an action is charged, and the counters that belong to one agent. */

import type { BudgetLimit } from '@mandate/schemas';
import { DEFAULTS, OPEN_CALLS, RELEASED_BUDGET, TOTAL_BUDGET } from '@mandate/schemas/core';
import type { RateReference } from './sliding-rate.ts';

export type BudgetReference = Pick<BudgetLimit, 'scope' | 'subject' | 'id' | 'windowMs'>;

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

/**
 * A charged counter, and one of the budgets that use it. `maxMicros` is the strictest limit of these budgets. Null if
 * none of them limits the counter.
 */
export type Charged<Counter> = { counter: Counter; budget: BudgetReference; maxMicros: number | null };

/**
 * Returns every counter that an ALLOW charges, each once. The agent's total is included.
 *
 * @param counterOf must return the same counter for equal budgets
 */
export function chargedCounters<Counter>(
  agentId: string,
  budgets: readonly (BudgetReference & { maxMicros: number | null })[],
  counterOf: (budget: BudgetReference) => Counter,
): Charged<Counter>[] {
  const charged: Charged<Counter>[] = [];
  for (const budget of [...budgets, { ...totalOf(agentId), maxMicros: null }]) {
    const counter = counterOf(budget);
    const known = charged.find((one) => one.counter === counter);
    if (known === undefined) charged.push({ counter, budget, maxMicros: budget.maxMicros });
    else known.maxMicros = tighter(known.maxMicros, budget.maxMicros);
  }
  return charged;
}

function tighter(one: number | null, other: number | null): number | null {
  if (one === null) return other;
  return other === null ? one : Math.min(one, other);
}
