/** Finds the counters to which an action is charged, and the counters that belong to one agent. */

import type { BudgetLimit, Limit, UnitLimit } from '@mandate/schemas';
import {
  type CounterUnit,
  DEFAULTS,
  isUnit,
  OPEN_CALLS,
  RELEASED_BUDGET,
  TOTAL_BUDGET,
} from '@mandate/schemas/core';
import type { RateReference } from './sliding-rate.ts';

/** `unit`: the unit of the counter. Absent: it is in micro-dollars. */
export type BudgetReference = Pick<BudgetLimit, 'scope' | 'subject' | 'id' | 'windowMs'> & {
  unit?: CounterUnit;
};

/** The lifetime spending of the agent. It is always counted, even if no plan lists it. */
export function totalOf(agentId: string): BudgetReference {
  return { scope: 'agent', subject: agentId, id: TOTAL_BUDGET, windowMs: null };
}

/**
 * The counter of releases: the amount that the agent's own reports released, minus the additional releases that its
 * successes allow.
 *
 * @param unit if absent, the counter is in micro-dollars
 */
export function releasedOf(agentId: string, unit?: CounterUnit): BudgetReference {
  const budget = { scope: 'agent', subject: agentId, id: RELEASED_BUDGET, windowMs: null } as const;
  return unit === undefined ? budget : { ...budget, unit };
}

/** The counter of a limit in a unit other than money. */
export function counterOfUnit({ kind: unit, scope, subject, id, windowMs }: CountedInUnit): BudgetReference {
  return { scope, subject, id, windowMs, unit };
}
type CountedInUnit = Pick<UnitLimit, 'kind' | 'scope' | 'subject' | 'id' | 'windowMs'>;

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

/** Returns the counters to charge in a unit other than money. */
export function unitToCharge(limits: readonly (CountedInUnit & Pick<UnitLimit, 'most'>)[]): Chargeable[] {
  return limits.map((limit) => ({ budget: counterOfUnit(limit), most: limit.most }));
}

export function isBudgetLimit(limit: Limit): limit is BudgetLimit {
  return limit.kind === 'budget';
}

export function isUnitLimit(limit: Limit): limit is UnitLimit {
  return isUnit(limit.kind);
}

/** Returns the limits in this unit. */
export function unitLimitsOf(limits: readonly Limit[], unit: CounterUnit): UnitLimit[] {
  return limits.filter((limit): limit is UnitLimit => limit.kind === unit);
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
