import type { BudgetLimit, LimitFact } from '@mandate/schemas';
import { formatMicros, TOTAL_BUDGET } from '@mandate/schemas/core';
import { mostSpentBefore } from '@mandate/step';
import { areTenantLimits } from '../attribution.ts';
import { byCounter, type Counter, nameIn, withResult } from './by-counter.ts';
import { type Calls, type LimitCheck, type LimitOf, under } from './check.ts';
import { counterOf, ofPolicy, rankOf, type SharedCounter, subjectOf } from './shared-counters.ts';

type BudgetFact = Extract<LimitFact, { kind: 'budget' }>;

/** The agent's lifetime total is the first budget. It is counted under every mandate, even if no policy limits it. */
export const budgets: LimitCheck<BudgetLimit, BudgetFact> = {
  name: 'budget',
  limits(calls) {
    return byCounter(calls.flatMap(countedUnder), counterOf, mostOf)
      .toSorted(({ strictest: one }, { strictest: other }) => rankOf(one) - rankOf(other))
      .map(limitOf);
  },
  evidence({ scope, id, windowMs, maxMicros, otherLimits }, { spentMicros, retryAfterMs }, costMicros) {
    const seen = { scope, id, windowMs, spentMicros, costMicros, maxMicros, retryAfterMs };
    if (otherLimits === undefined) return seen;
    const fits = (one: { maxMicros: number }) => spentMicros <= mostSpentBefore(one.maxMicros, costMicros);
    return { ...seen, otherLimits: otherLimits.map((one) => withResult(one, fits(one))) };
  },
  violation(limit, fact) {
    const { scope, id, windowMs, maxMicros, policy, ancestor } = limit;
    const period = windowMs === null ? '' : ` in ${windowMs} ms`;
    // The reason ends with the name of the policy, and the name of an ancestor's policy contains the ancestor.
    const isToName = ancestor !== undefined && (scope === 'agent' || policy === undefined);
    const whose = isToName ? ` of "${ancestor}"` : '';
    return {
      reason:
        `The ${scope} budget "${id}"${whose} is ${formatMicros(maxMicros ?? 0)}${period}; ` +
        `${formatMicros(fact.spentMicros)} is spent, and this call does not fit.`,
      remedy: remedyFor(limit, fact),
    };
  },
};

/**
 * Returns advice about an exceeded budget. An adjustment can at most empty the window of the budget, so it cannot
 * help a call that costs more than the whole budget.
 */
function remedyFor(
  { windowMs, policy, otherLimits = [] }: BudgetLimit,
  { retryAfterMs }: BudgetFact,
): string {
  const isOfPlane = areTenantLimits(policy);
  const raise = isOfPlane ? 'have the operator of the plane raise the budget' : 'raise the budget';
  if (retryAfterMs !== null)
    return `Try again, as the next attempt of the same action, after retryAfterMs; or ${raise}.`;
  if (windowMs !== null) return `Ask for less, under a new id; or ${raise}.`;
  const giveBack = 'give money back to the budget (POST /v1/budgets/adjust)';
  if (isOfPlane)
    return `Have the operator of the plane raise the budget or ${giveBack}, then ask under a new id.`;
  const isBackOfPlane = otherLimits.some((one) => areTenantLimits(one.policy));
  const giver = isBackOfPlane ? 'the operator of the plane can' : 'you can';
  return `Raise the budget, then ask under a new id. On a plane, ${giver} also ${giveBack}.`;
}

type Counted = SharedCounter & {
  /** The limit in micro-dollars. Null means that the amount is counted without a limit. */
  maxMicros: number | null;
};

function countedUnder({ policy }: Calls): readonly Counted[] {
  const { maxCostTotalMicros, budgets } = policy;
  const total = { id: TOTAL_BUDGET, scope: 'agent', windowMs: null, maxMicros: maxCostTotalMicros } as const;
  return [total, ...budgets].map((budget) => ofPolicy(budget, policy));
}

function mostOf({ maxMicros }: Counted): number {
  return maxMicros ?? Number.POSITIVE_INFINITY;
}

/** Lists every field by name, because spreading constant fields takes longer than the rest of `plan` for a budget. */
function limitOf({ strictest, others }: Counter<Counted>): LimitOf<BudgetLimit> {
  const { id, scope, windowMs, maxMicros, owner, name, ancestor } = strictest;
  const ofMandate: LimitOf<BudgetLimit> = ({ action }) => {
    const subject = subjectOf(scope, action, owner);
    return { kind: 'budget', scope, subject, id, windowMs, maxMicros };
  };
  const otherLimits = others.flatMap((one) =>
    one.maxMicros === null ? [] : [{ ...nameIn(one), maxMicros: one.maxMicros }],
  );
  return under({ name, ancestor }, ofMandate, otherLimits);
}
