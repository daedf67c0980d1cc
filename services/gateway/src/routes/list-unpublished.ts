/** GET /v1/ledger/unpublished: the steps of the ledger that are not on the log yet, and their first log position. */

import { COUNTER_UNITS, described, logPosition } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import { type Gateway, ledgerOf } from '../gateway.ts';
import { tenantToSee } from '../own-agents.ts';
import { tenantQuery } from './tenant-query.ts';

const unpublished = z.object({
  tenant: described(z.string(), 'The tenant of the agent.', 'default'),
  agentId: described(z.string(), 'The agent whose budgets were charged.', 'airline-007'),
  source: described(logPosition, 'The log position of the request or outcome.'),
  deltaMicros: described(
    z.int().optional(),
    'How much more than the log the ledger has charged, in micro-dollars. Absent for another unit.',
    100_000,
  ),
  delta: described(
    z.int().optional(),
    'How much more than the log the ledger has charged, in the unit. Absent for money.',
    1_700,
  ),
  unit: described(z.enum(COUNTER_UNITS).optional(), 'The unit of the amount. Absent for money.'),
});

export function listUnpublished(server: HttpServer, gateway: Gateway): void {
  server.get(
    '/v1/ledger/unpublished',
    {
      config: { scope: 'operate' },
      schema: {
        tags: ['ledger'],
        summary: 'List charges and settlements that are not on the log yet',
        querystring: tenantQuery,
        response: {
          200: z.object({
            tenant: described(z.string(), 'The tenant of the charges.', 'default'),
            epoch: described(z.string(), 'The epoch of the ledger.', 'epoch_01kc7d5k0g'),
            unpublished: described(
              z.array(unpublished),
              'Charges and settlements that the log does not contain yet.',
            ),
          }),
        },
      },
    },
    async (request) => {
      const ledger = ledgerOf(gateway);
      const tenant = tenantToSee(callerOf(request), request.query.tenant);
      const moved = await ledger.unpublished(tenant);
      const unpublished = moved.map(({ agentId, source, delta, budgets }) => {
        const unit = budgets[0]?.unit;
        return {
          tenant,
          agentId,
          source,
          ...(unit === undefined ? { deltaMicros: delta } : { delta, unit }),
        };
      });
      return { tenant, epoch: ledger.epoch, unpublished };
    },
  );
}
