import type { BudgetLimit } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { budgets } from './budget.ts';

const LIFETIME: BudgetLimit = {
  ...{ kind: 'budget', scope: 'agent', subject: 'a', id: 'b' },
  ...{ windowMs: null, maxMicros: 2_000_000 },
};
const DAY = { ...LIFETIME, windowMs: 86_400_000 };
const TENANT_LIMITS = { policy: 'tenant acme@17' };

test.each<[string, BudgetLimit, number | null, string]>([
  [
    'a lifetime budget',
    { ...LIFETIME, policy: 'tenant-of-p@1' },
    null,
    'Raise the budget, then ask under a new id. On a plane, you can also give money back to the budget (POST /v1/budgets/adjust).',
  ],
  [
    'a lifetime budget of the tenant limits',
    { ...LIFETIME, ...TENANT_LIMITS },
    null,
    'Have the operator of the plane raise the budget or give money back to the budget (POST /v1/budgets/adjust), then ask under a new id.',
  ],
  [
    'a lifetime budget that the tenant limits count too',
    { ...LIFETIME, otherLimits: [{ ...TENANT_LIMITS, maxMicros: 3_000_000 }] },
    null,
    'Raise the budget, then ask under a new id. On a plane, the operator of the plane can also give money back to the budget (POST /v1/budgets/adjust).',
  ],
  [
    'a daily budget that is smaller than the call',
    DAY,
    null,
    'Ask for less, under a new id; or raise the budget.',
  ],
  [
    'a daily budget of the tenant limits that is smaller than the call',
    { ...DAY, ...TENANT_LIMITS },
    null,
    'Ask for less, under a new id; or have the operator of the plane raise the budget.',
  ],
  [
    'a daily budget',
    DAY,
    5,
    'Try again, as the next attempt of the same action, after retryAfterMs; or raise the budget.',
  ],
  [
    'a daily budget of the tenant limits',
    { ...DAY, ...TENANT_LIMITS },
    5,
    'Try again, as the next attempt of the same action, after retryAfterMs; or have the operator of the plane raise the budget.',
  ],
])('suggests what to do about an exceeded budget: %s', (_, limit, retryAfterMs, remedy) => {
  const fact = { kind: 'budget', spentMicros: 0, ok: false, retryAfterMs } as const;
  expect(budgets.violation(limit, fact).remedy).toBe(remedy);
});
