/**
 * GET /v1/ledger/balances: every counter that is not zero. `mandate reconcile` compares these counters with log and
 * audit.
 */

import { BUDGET_SCOPES, COUNTER_UNITS, count, described } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import { type Gateway, ledgerOf } from '../gateway.ts';
import { tenantToSee } from '../own-agents.ts';
import { tenantQuery } from './tenant-query.ts';

const budget = z.object({
  scope: described(z.enum(BUDGET_SCOPES), 'Who shares the budget.'),
  subject: described(
    z.string(),
    'The agent, principal or mandate of the budget. Empty: the tenant, or no principal.',
    'airline-007',
  ),
  id: described(z.string(), 'The id of the budget. `total`: the lifetime spending of an agent.', 'total'),
  windowMs: described(
    count.nullable(),
    'The length of the window, in milliseconds. null: the budget never resets.',
    86_400_000,
  ),
  unit: described(
    z.enum(COUNTER_UNITS).exactOptional(),
    'The unit of the counter, for a limit on tokens or on tool calls. Absent for a budget of money.',
  ),
});
const balance = z.object({
  budget: described(budget, 'The budget.'),
  spentMicros: described(
    z.int().optional(),
    'What the budget has spent, in micro-dollars. It is negative if an operator gave back more than was spent. Absent for a budget with a unit.',
    340_000,
  ),
  used: described(z.int().optional(), 'What the counter has, in its unit. Absent for money.', 12_000),
});

export function listBalances(server: HttpServer, gateway: Gateway): void {
  server.get(
    '/v1/ledger/balances',
    {
      config: { scope: 'operate' },
      schema: {
        tags: ['ledger'],
        summary: 'Show what every budget of the tenant has spent',
        querystring: tenantQuery,
        response: {
          200: z.object({
            tenant: described(z.string(), 'The tenant of the budgets.', 'default'),
            epoch: described(z.string(), 'The epoch of the ledger.', 'epoch_01kc7d5k0g'),
            balances: described(z.array(balance), 'The counters of all budgets of the tenant.'),
          }),
        },
      },
    },
    async (request) => {
      const ledger = ledgerOf(gateway);
      const tenant = tenantToSee(callerOf(request), request.query.tenant);
      const balances = (await ledger.balances(tenant)).map(({ budget, spent }) => ({
        budget,
        ...(budget.unit === undefined ? { spentMicros: spent } : { used: spent }),
      }));
      return { tenant, epoch: ledger.epoch, balances };
    },
  );
}
