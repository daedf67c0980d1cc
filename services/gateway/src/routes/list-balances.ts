/** GET /v1/ledger/balances: every counter that is not zero. What `mandate reconcile` holds against log and audit. */

import { BUDGET_SCOPES, count } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import { type Gateway, ledgerOf } from '../gateway.ts';
import { tenantToSee } from '../own-agents.ts';
import { tenantQuery } from './tenant-query.ts';

const budget = z.object({
  scope: z.enum(BUDGET_SCOPES),
  subject: z.string(),
  id: z.string(),
  windowMs: count.nullable(),
});
const balance = z.object({ budget, spentMicros: z.int() });

export function listBalances(server: HttpServer, gateway: Gateway): void {
  server.get(
    '/v1/ledger/balances',
    {
      config: { scope: 'operate' },
      schema: {
        tags: ['ledger'],
        summary: 'What every budget of the tenant has spent',
        querystring: tenantQuery,
        response: { 200: z.object({ tenant: z.string(), epoch: z.string(), balances: z.array(balance) }) },
      },
    },
    async (request) => {
      const ledger = ledgerOf(gateway);
      const tenant = tenantToSee(callerOf(request), request.query.tenant);
      return { tenant, epoch: ledger.epoch, balances: [...(await ledger.balances(tenant))] };
    },
  );
}
