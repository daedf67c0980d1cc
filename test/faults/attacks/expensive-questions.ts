/**
 * A viewer sends the slowest queries of the audit, and requests the largest pages and exports. The attack needs one
 * key that may read.
 */

import { askOften } from './ask-often.ts';
import type { Attack } from './attack.ts';

const PATHS: readonly string[] = [
  '/v1/audit/decisions?text=nothing-has-this-text&limit=1000&from=2020-01-01',
  '/v1/audit/analytics?groupBy=agent&from=2020-01-01T00:00:00Z&to=2030-01-01T00:00:00Z',
  '/v1/audit/sums',
  '/v1/audit/analytics/movers',
  '/v1/audit/analytics/near-misses',
  '/v1/audit/export',
  '/v1/audit/settlements?limit=1000',
  '/v1/audit/control-events?limit=1000',
  '/v1/approvals?limit=1000',
  '/v1/policies?limit=1000',
  '/v1/rules?limit=1000',
  '/v1/agents?limit=1000',
  '/v1/ledger/agents',
  '/v1/ledger/open',
  '/v1/ledger/balances',
  '/openapi.json',
  '/metrics',
];

export const expensiveQuestions: Attack = (target, until) =>
  askOften(target, until, 40, (nth) => ({
    method: 'GET',
    path: PATHS[nth % PATHS.length] ?? '',
    key: target.keys[0] ?? '',
  }));
