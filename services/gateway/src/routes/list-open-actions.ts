/** GET /v1/ledger/open: actions that are allowed and may still run. */

import { count, described, id, openAction } from '@mandate/schemas';
import { callerOf, type HttpServer, nextCursor, pageCursor } from '@mandate/server';
import { z } from 'zod';
import { type Gateway, ledgerOf } from '../gateway.ts';
import { tenantToSee } from '../own-agents.ts';
import { tenantQuery } from './tenant-query.ts';

/** The page key: the sequence of the last action of the page. */
const cursor = pageCursor('open actions', z.tuple([count]));

export function listOpenActions(server: HttpServer, gateway: Gateway): void {
  server.get(
    '/v1/ledger/open',
    {
      config: { scope: 'operate' },
      schema: {
        tags: ['ledger'],
        summary: 'List allowed actions that have no outcome and a running lease, oldest first',
        description:
          'An action leaves the list when its outcome comes, or when its lease ends. The pages together contain each ' +
          'action that stays open.',
        querystring: tenantQuery.extend({
          agentId: described(id.optional(), 'Only actions of this agent.', 'airline-007'),
          limit: described(
            z.coerce.number().int().min(1).max(1_000).default(100),
            'How many actions to return at most.',
            20,
          ),
          cursor: cursor.parameter,
        }),
        response: {
          200: z.object({
            tenant: described(z.string(), 'The tenant of the actions.', 'default'),
            epoch: described(z.string(), 'The epoch of the ledger.', 'epoch_01kc7d5k0g'),
            count: described(count, 'How many actions are open, on all pages together.', 1),
            open: described(
              z.array(openAction),
              'Allowed actions without an outcome whose lease has not ended.',
            ),
            next: nextCursor,
          }),
        },
      },
    },
    async (request) => {
      const ledger = ledgerOf(gateway);
      const { agentId, limit, cursor: [after] = [-1], ...asked } = request.query;
      const tenant = tenantToSee(callerOf(request), asked.tenant);
      const open = await ledger.open(tenant, agentId);
      const page = open.filter(({ sequence }) => sequence > after).slice(0, limit);
      const next = cursor.next(page, limit, ({ sequence }) => [sequence]);
      return { tenant, epoch: ledger.epoch, count: open.length, open: page, next };
    },
  );
}
