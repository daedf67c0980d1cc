/** GET /v1/ledger/open: actions that are allowed and may still run. */

import { actionReference, count, described, id } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import { type Gateway, ledgerOf } from '../gateway.ts';
import { tenantToSee } from '../own-agents.ts';
import { tenantQuery } from './tenant-query.ts';

const openAction = actionReference.extend({
  reservedMicros: described(count, 'What the ALLOW reserved, in micro-dollars.', 100_000),
  decidedAtMs: described(count, 'When the action was decided, in epoch milliseconds.', 1_767_605_441_004),
  leaseExpiresAtMs: described(
    count,
    'When the lease of the action ends, in epoch milliseconds.',
    1_767_605_471_004,
  ),
});

export function listOpenActions(server: HttpServer, gateway: Gateway): void {
  server.get(
    '/v1/ledger/open',
    {
      config: { scope: 'operate' },
      schema: {
        tags: ['ledger'],
        summary: 'List allowed actions that have no outcome and a running lease, oldest first',
        querystring: tenantQuery.extend({
          agentId: described(id.optional(), 'Only actions of this agent.', 'airline-007'),
        }),
        response: {
          200: z.object({
            tenant: described(z.string(), 'The tenant of the actions.', 'default'),
            epoch: described(z.string(), 'The epoch of the ledger.', 'epoch_01kc7d5k0g'),
            open: described(
              z.array(openAction),
              'Allowed actions without an outcome whose lease has not ended.',
            ),
          }),
        },
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
