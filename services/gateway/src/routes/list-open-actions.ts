/** GET /v1/ledger/open: what is allowed and may still run. */

import { actionReference, count, id } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import { type Gateway, ledgerOf } from '../gateway.ts';
import { tenantToSee } from '../own-agents.ts';
import { tenantQuery } from './tenant-query.ts';

const openAction = actionReference.extend({
  reservedMicros: count,
  decidedAtMs: count,
  leaseExpiresAtMs: count,
});

export function listOpenActions(server: HttpServer, gateway: Gateway): void {
  server.get(
    '/v1/ledger/open',
    {
      config: { scope: 'operate' },
      schema: {
        tags: ['ledger'],
        summary: 'Allowed actions without an outcome whose lease is alive, oldest first',
        querystring: tenantQuery.extend({ agentId: id.optional().describe('Of one agent.') }),
        response: { 200: z.object({ tenant: z.string(), epoch: z.string(), open: z.array(openAction) }) },
      },
    },
    async (request) => {
      const ledger = ledgerOf(gateway);
      const { agentId, ...asked } = request.query;
      const tenant = tenantToSee(callerOf(request), asked.tenant);
      return { tenant, epoch: ledger.epoch, open: [...(await ledger.open(tenant, agentId))] };
    },
  );
}
