/** GET /v1/ledger/unpublished: by how much, and where, the ledger is ahead of the log. */

import { source } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import { type Gateway, ledgerOf } from '../gateway.ts';
import { tenantToSee } from '../own-agents.ts';
import { tenantQuery } from './tenant-query.ts';

const unpublished = z.object({ tenant: z.string(), agentId: z.string(), source, deltaMicros: z.int() });

export function listUnpublished(server: HttpServer, gateway: Gateway): void {
  server.get(
    '/v1/ledger/unpublished',
    {
      config: { scope: 'operate' },
      schema: {
        tags: ['ledger'],
        summary: 'Charges and settlements that the log does not hold yet',
        querystring: tenantQuery,
        response: {
          200: z.object({ tenant: z.string(), epoch: z.string(), unpublished: z.array(unpublished) }),
        },
      },
    },
    async (request) => {
      const ledger = ledgerOf(gateway);
      const tenant = tenantToSee(callerOf(request), request.query.tenant);
      return { tenant, epoch: ledger.epoch, unpublished: [...(await ledger.unpublished(tenant))] };
    },
  );
}
