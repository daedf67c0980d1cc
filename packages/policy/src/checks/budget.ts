import { type Action, type BudgetLimit, formatMicros, type LimitFact, TOTAL_BUDGET } from '@mandate/schemas';
import type { Budget } from '../mandate/mandate.ts';
import type { LimitCheck, LimitOf } from './check.ts';

type BudgetFact = Extract<LimitFact, { kind: 'budget' }>;

/** The agent's lifetime total first: it is counted under every mandate, whether or not one limits it. */
export const budgets: LimitCheck<BudgetLimit, BudgetFact> = {
  name: 'budget',
  limits({ mandate }) {
    const maxMicros = mandate.maxCostTotalMicros;
    const total = { id: TOTAL_BUDGET, scope: 'agent', windowMs: null, maxMicros } as const;
    return [total, ...mandate.budgets].map((budget) => limitOf(budget, mandate.reference.id));
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

type Counted = Omit<Budget, 'maxMicros'> & { maxMicros: number | null };

function limitOf({ id, scope, windowMs, maxMicros }: Counted, mandateId: string): LimitOf<BudgetLimit> {
  return ({ action }) => {
    const subject = subjectOf(scope, action, mandateId);
    return { kind: 'budget', scope, subject, id, windowMs, maxMicros };
  };
}

function subjectOf(scope: Budget['scope'], action: Action, mandateId: string): string {
  if (scope === 'agent') return action.agentId;
  // Actions that name no principal share one counter: leaving the name out opens no second budget each time.
  if (scope === 'principal') return action.principal?.id ?? '';
  return scope === 'mandate' ? mandateId : '';
}
