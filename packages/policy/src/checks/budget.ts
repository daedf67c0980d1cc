import { type BudgetLimit, formatMicros, type LimitFact, TOTAL_BUDGET } from '@mandate/schemas';
import type { Budget } from '../mandate/mandate.ts';
import type { LimitCheck, Subject } from './check.ts';

type BudgetFact = Extract<LimitFact, { kind: 'budget' }>;

/** The agent's lifetime total first: it is counted under every mandate, whether or not one limits it. */
export const budgets: LimitCheck<BudgetLimit, BudgetFact> = {
  name: 'budget',
  limits(subject, limits) {
    limits.push({
      kind: 'budget',
      scope: 'agent',
      subject: subject.action.agentId,
      id: TOTAL_BUDGET,
      windowMs: null,
      maxMicros: subject.mandate.maxCostTotalMicros,
    });
    for (const budget of subject.mandate.budgets) limits.push(limitOf(budget, subject));
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

function limitOf(budget: Budget, subject: Subject): BudgetLimit {
  const { id, scope, windowMs, maxMicros } = budget;
  return { kind: 'budget', scope, subject: subjectOf(scope, subject), id, windowMs, maxMicros };
}

function subjectOf(scope: Budget['scope'], { action, mandate }: Subject): string {
  if (scope === 'agent') return action.agentId;
  // Actions that name no principal share one counter: leaving the name out opens no second budget each time.
  if (scope === 'principal') return action.principal?.id ?? '';
  return scope === 'mandate' ? mandate.reference.id : '';
}
