/**
 * People of a tenant try to spend more than the tenant limits allow. They give back amounts that were counted, change
 * the limits, and use other policies. The attack needs a key that may operate all tenants, and a key of the tenant
 * "bounded" that may publish, operate and author.
 */
import { randomUUID } from 'node:crypto';
import { type Ask, askWith, expectTo, verdictOf } from './asked.ts';
import type { Attack } from './attack.ts';

const TENANT = 'bounded';
const BUDGET = { id: 'contract', scope: 'tenant' };
const LIMITS = { budgets: [{ ...BUDGET, max: 0.1 }] };
const COSTS_ALL_MICROS = 100_000;
const reason = 'an attack';

const WAYS: readonly ((own: Ask) => Promise<unknown>)[] = [
  (own) => own('POST', '/v1/budgets/adjust', { budget: BUDGET, deltaMicros: -COSTS_ALL_MICROS, reason }),
  (own) =>
    own('POST', '/v1/budgets/adjust', {
      budget: { ...BUDGET, windowMs: null, subject: '' },
      deltaDollars: -0.1,
      reason,
    }),
  (own) =>
    own('POST', '/v1/budgets/adjust', { budget: { ...BUDGET, tenant: TENANT }, deltaMicros: -1, reason }),
  (own) => own('POST', `/v1/budgets/adjust?tenant=${TENANT}`, { budget: BUDGET, deltaMicros: -1, reason }),
  (own) => own('PUT', `/v1/tenants/${TENANT}`, { version: 1, id: TENANT }),
  (own) => own('DELETE', `/v1/tenants/${TENANT}`),
  (own) => own('POST', '/v1/tenants', { version: 1, id: TENANT }),
  (own) => own('PUT', '/v1/policies/all', { version: 1, id: 'all', budgets: [{ ...BUDGET, max: 9 }] }),
  (own) => own('PUT', '/v1/policies/all', { version: 1, id: 'all' }),
  (own) => own('DELETE', '/v1/agents/spender'),
  (own) => own('POST', '/v1/agents', { id: 'spender' }),
  (own) => own('POST', '/v1/kill', { scope: 'tenant' }),
  (own) => own('POST', '/v1/revive', { scope: 'tenant' }),
];

/** Rejects if actions are allowed beyond the tenant limits. */
export const spendPastTenantLimits: Attack = async ({ url, keys }, until) => {
  const [all = '', ofTenant = ''] = keys;
  const owner = askWith(url, all);
  const own = askWith(url, ofTenant);
  const spend = async (estimatedCostMicros: number) => {
    const about = { agentId: 'spender', type: 'tool_call', tool: 'look', estimatedCostMicros };
    const action = { id: randomUUID(), ...about };
    return verdictOf(await own('POST', '/v1/actions?waitMs=20000', action));
  };
  await expectTo(owner('POST', '/v1/tenants', { version: 1, id: TENANT, limits: LIMITS }), 'open a tenant');
  await expectTo(own('PUT', '/v1/policies/all', { version: 1, id: 'all' }), 'write a policy');
  await expectTo(own('PUT', '/v1/rules/all', { version: 1, id: 'all', policy: 'all' }), 'write a rule');
  await expectTo(own('POST', '/v1/agents', { id: 'spender' }), 'register an agent');
  const first = await spend(COSTS_ALL_MICROS);
  if (first !== 'ALLOW ALLOWED')
    throw new Error(`nothing may be spent within the tenant limits either: ${first}`);
  do {
    let refused = 0;
    for (const [at, way] of WAYS.entries()) {
      await way(own);
      const verdict = await spend(COSTS_ALL_MICROS / 2);
      if (verdict.startsWith('ALLOW')) throw new Error(`way ${at} spent past the tenant limits`);
      if (verdict === 'BLOCK COST_LIMIT_EXCEEDED') refused += 1;
    }
    if (refused === 0) throw new Error('no request reached the limits');
  } while (!until.aborted);
};
