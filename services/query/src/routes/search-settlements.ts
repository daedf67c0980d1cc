/** GET /v1/audit/settlements: the effects of outcomes on charges, newest first. */
import { searchSettlements as question } from '@mandate/audit';
import { described, id, SETTLEMENT_CODES } from '@mandate/schemas';
import { callerOf, nextCursor, pageCursor } from '@mandate/server';
import { z } from 'zod';
import { settlementFound, shownSettlement } from '../found-rows.ts';
import { askerOf, type Route } from '../query-context.ts';
import { anyOf, limit, period, queryParameters } from '../query-parameters.ts';

const cursor = pageCursor('settlements', z.tuple([id]));

export const searchSettlements: Route = (server, { ask, clock }) => {
  server.get(
    '/v1/audit/settlements',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['audit'],
        summary: 'Search settlements, newest first',
        description: 'Only settlements of the kind `settled` moved money. The others are evidence.',
        querystring: queryParameters({
          agent: described(
            anyOf(id),
            'Only settlements of this agent. May be repeated: any of them.',
            'airline-007',
          ),
          action: described(
            anyOf(id),
            'Only settlements of this action. May be repeated: any of them.',
            'act_7f3a',
          ),
          code: described(
            anyOf(z.enum(SETTLEMENT_CODES)),
            'Only settlements with this code or mark. May be repeated: any of them.',
            'OVERDRAWN',
          ),
          ...period(clock),
          cursor: cursor.parameter,
          limit,
        }),
        response: {
          200: z.object({
            settlements: described(z.array(settlementFound), 'The settlements, the newest first.'),
            next: nextCursor,
          }),
        },
      },
    },
    async (request) => {
      const { agent, action, code, from, to, cursor: pageKey, limit } = request.query;
      const rows = await ask(askerOf(request), question, {
        tenant: callerOf(request).tenant,
        agentId: agent,
        actionId: action,
        code,
        fromMs: from,
        toMs: to,
        before: pageKey?.[0],
        limit,
      });
      return {
        settlements: rows.map(shownSettlement),
        next: cursor.next(rows, limit, (row) => [row.id]),
      };
    },
  );
};
