import {
  type Action,
  BUDGET_SCOPES,
  type BudgetLimit,
  formatMicros,
  type LimitFact,
  TOTAL_BUDGET,
} from '@mandate/schemas';
import type { Budget } from '../mandate/mandate.ts';
import type { Calls, LimitCheck, LimitOf } from './check.ts';

type BudgetFact = Extract<LimitFact, { kind: 'budget' }>;

/** The agent's lifetime total first: it is counted under every mandate, whether or not one limits it. */
export const budgets: LimitCheck<BudgetLimit, BudgetFact> = {
  name: 'budget',
  limits(calls) {
    const strictest = new Map<string, Counted>();
    for (const budget of calls.flatMap(countedUnder)) {
      const counter = JSON.stringify([budget.scope, budget.mandateId, budget.id, budget.windowMs]);
      const known = strictest.get(counter);
      if (known === undefined || mostOf(budget) < mostOf(known)) strictest.set(counter, budget);
    }
    return [...strictest.values()].toSorted((one, other) => rank(one) - rank(other)).map(limitOf);
  },
  saw: ({ scope, id, windowMs, maxMicros }, { spentMicros, retryAfterMs }, costMicros) => ({
    scope,
    id,
    windowMs,
    spentMicros,
    costMicros,
    maxMicros,
    retryAfterMs,
  }),
  objection({ scope, id, windowMs, maxMicros }, fact) {
    const period = windowMs === null ? '' : ` in ${windowMs} ms`;
    return {
      code: 'COST_LIMIT_EXCEEDED',
      reason:
        `The ${scope} budget "${id}" is ${formatMicros(maxMicros ?? 0)}${period}; ` +
        `${formatMicros(fact.spentMicros)} is spent, and this call does not fit.`,
      remedy:
        fact.retryAfterMs === null
          ? 'Raise the budget or give back to it (POST /v1/budgets/adjust), then ask under a new id.'
          : 'Try again, as the next attempt of the same action, after retryAfterMs; or raise the budget.',
    };
  },
};

/** With the policy that says so, where a mandate has several. */
type Counted = Omit<Budget, 'maxMicros'> & {
  maxMicros: number | null;
  mandateId: string;
  policy: string | null;
};

function countedUnder({ policy: { id, name, maxCostTotalMicros, budgets } }: Calls): readonly Counted[] {
  const total = { id: TOTAL_BUDGET, scope: 'agent', windowMs: null, maxMicros: maxCostTotalMicros } as const;
  return [total, ...budgets].map((budget) => ({
    ...budget,
    mandateId: budget.scope === 'mandate' ? id : '',
    policy: name,
  }));
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
function limitOf({ id, scope, windowMs, maxMicros, mandateId, policy }: Counted): LimitOf<BudgetLimit> {
  const ofMandate: LimitOf<BudgetLimit> = ({ action }) => {
    const subject = subjectOf(scope, action, mandateId);
    return { kind: 'budget', scope, subject, id, windowMs, maxMicros };
  };
  return policy === null ? ofMandate : (subject) => ({ ...ofMandate(subject), policy });
}

function subjectOf(scope: Budget['scope'], action: Action, mandateId: string): string {
  if (scope === 'agent') return action.agentId;
  // Actions that name no principal share one counter: leaving the name out opens no second budget each time.
  if (scope === 'principal') return action.principal?.id ?? '';
  return mandateId;
}
