/** GET /v1/ledger: the ledger that decides, and its tenants. */

import { described } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import { type Gateway, ledgerOf } from '../gateway.ts';

export function showLedger(server: HttpServer, gateway: Gateway): void {
  server.get(
    '/v1/ledger',
    {
      config: { scope: 'operate' },
      schema: {
        tags: ['ledger'],
        summary: 'Show the current epoch, and the tenants that this key may see',
        response: {
          200: z.object({
            epoch: described(z.string(), 'The epoch of the ledger.', 'epoch_01kc7d5k0g'),
            tenants: described(z.array(z.string()), 'The tenants that the ledger knows.', [
              'default',
              'acme',
            ]),
          }),
        },
      },
    },
    async (request) => {
      const ledger = ledgerOf(gateway);
      const { tenant, scopes } = callerOf(request);
      const tenants = await ledger.tenants();
      const seen = scopes.includes('operate:all')
        ? [...tenants]
        : tenants.filter((other) => other === tenant);
      return { epoch: ledger.epoch, tenants: seen };
    },
  );
}
