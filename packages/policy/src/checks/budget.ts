import type { Action, BudgetLimit, LimitFact } from '@mandate/schemas';
import { BUDGET_SCOPES, formatMicros, TOTAL_BUDGET } from '@mandate/schemas/core';
import { mostSpentBefore } from '@mandate/step';
import type { Budget } from '../mandate/mandate.ts';
import { areBounds } from '../whose-bound.ts';
import { byCounter, type Counter, nameIn, withResult } from './by-counter.ts';
import { type Calls, type LimitCheck, type LimitOf, under } from './check.ts';

type BudgetFact = Extract<LimitFact, { kind: 'budget' }>;

/** The agent's lifetime total first: it is counted under every mandate, whether or not one limits it. */
export const budgets: LimitCheck<BudgetLimit, BudgetFact> = {
  name: 'budget',
  limits(calls) {
    return byCounter(calls.flatMap(countedUnder), counterOf, mostOf)
      .toSorted(({ strictest: one }, { strictest: other }) => rank(one) - rank(other))
      .map(limitOf);
  },
  evidence({ scope, id, windowMs, maxMicros, otherLimits }, { spentMicros, retryAfterMs }, costMicros) {
    const seen = { scope, id, windowMs, spentMicros, costMicros, maxMicros, retryAfterMs };
    if (otherLimits === undefined) return seen;
    const fits = (one: { maxMicros: number }) => spentMicros <= mostSpentBefore(one.maxMicros, costMicros);
    return { ...seen, otherLimits: otherLimits.map((one) => withResult(one, fits(one))) };
  },
  objection(limit, fact) {
    const { scope, id, windowMs, maxMicros, holder } = limit;
    const period = windowMs === null ? '' : ` in ${windowMs} ms`;
    const whose = scope === 'agent' && holder !== undefined ? ` of "${holder}"` : '';
    return {
      reason:
        `The ${scope} budget "${id}"${whose} is ${formatMicros(maxMicros ?? 0)}${period}; ` +
        `${formatMicros(fact.spentMicros)} is spent, and this call does not fit.`,
      remedy: remedyFor(limit, fact),
    };
  },
};

/** Giving back empties a window and no more, so it lets nothing through that is more than all of it. */
function remedyFor(
  { windowMs, policy, otherLimits = [] }: BudgetLimit,
  { retryAfterMs }: BudgetFact,
): string {
  const isOfPlane = areBounds(policy);
  const raise = isOfPlane ? 'have whoever runs the plane raise the budget' : 'raise the budget';
  if (retryAfterMs !== null)
    return `Try again, as the next attempt of the same action, after retryAfterMs; or ${raise}.`;
  if (windowMs !== null) return `Ask for less, under a new id; or ${raise}.`;
  const isBackOfPlane = !isOfPlane && otherLimits.some((one) => areBounds(one.policy));
  const giveBack = `${isBackOfPlane ? 'have whoever runs the plane ' : ''}give back to it (POST /v1/budgets/adjust)`;
  return `${isOfPlane ? 'Have whoever runs the plane raise' : 'Raise'} the budget or ${giveBack}, then ask under a new id.`;
}

/** With the policy that says so, where a mandate has several. */
type Counted = Omit<Budget, 'maxMicros'> & {
  /** null: counted only, which says nothing of what it may hold. */
  maxMicros: number | null;
  /** For scope `mandate` its policy; for scope `agent` the ancestor that holds it; else empty. */
  owner: string;
  name: string | null;
  holder: string | null;
};

function countedUnder({ policy }: Calls): readonly Counted[] {
  const { name, holder, maxCostTotalMicros, budgets } = policy;
  const total = { id: TOTAL_BUDGET, scope: 'agent', windowMs: null, maxMicros: maxCostTotalMicros } as const;
  return [total, ...budgets].map((budget) => ({
    ...budget,
    owner: ownerOf(budget.scope, policy),
    name,
    holder,
  }));
}

function ownerOf(scope: Budget['scope'], { id, holder }: Calls['policy']): string {
  if (scope === 'agent') return holder ?? '';
  return scope === 'mandate' ? id : '';
}

function counterOf({ scope, owner, id, windowMs }: Counted): string {
  return JSON.stringify([scope, owner, id, windowMs]);
}

function mostOf({ maxMicros }: Counted): number {
  return maxMicros ?? Number.POSITIVE_INFINITY;
}

/** The total, then lifetime budgets before windowed ones, narrow scopes before wide ones. */
function rank({ id, scope, windowMs }: Counted): number {
  if (id === TOTAL_BUDGET) return -1;
  return (windowMs === null ? 0 : BUDGET_SCOPES.length) + BUDGET_SCOPES.indexOf(scope);
}

/** Written out: spreading what is the same of every call takes longer than all else that `plan` does for it. */
function limitOf({ strictest, others }: Counter<Counted>): LimitOf<BudgetLimit> {
  const { id, scope, windowMs, maxMicros, owner, name, holder } = strictest;
  const ofMandate: LimitOf<BudgetLimit> = ({ action }) => {
    const subject = subjectOf(scope, action, owner);
    return { kind: 'budget', scope, subject, id, windowMs, maxMicros };
  };
  const otherLimits = others.flatMap((one) =>
    one.maxMicros === null ? [] : [{ ...nameIn(one), maxMicros: one.maxMicros }],
  );
  return under({ name, holder }, ofMandate, otherLimits);
}

function subjectOf(scope: Budget['scope'], action: Action, owner: string): string {
  if (scope === 'agent') return owner === '' ? action.agentId : owner;
  // Actions that name no principal share one counter: leaving the name out opens no second budget each time.
  if (scope === 'principal') return action.principal?.id ?? '';
  return owner;
}
