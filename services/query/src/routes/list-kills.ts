/** GET /v1/audit/kills: who pulled which kill switch and why, and who revived; newest first. */
import { kills } from '@mandate/audit';
import { described, END_OF_TIME_MS, id } from '@mandate/schemas';
import { callerOf, nextCursor, pageCursor } from '@mandate/server';
import { z } from 'zod';
import { killFound, shownKill } from '../kill-found.ts';
import { askerOf, type Route } from '../query-context.ts';
import { limit, queryParameters } from '../query-parameters.ts';

const cursor = pageCursor('kills', z.tuple([z.int().min(0).max(END_OF_TIME_MS), id]));

export const listKills: Route = (server, { ask }) => {
  server.get(
    '/v1/audit/kills',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['audit'],
        summary: 'List kills, each with its state, newest first',
        description:
          'The list has the kills of the tenant, and the kills of everything. The state comes from the audit, which is ' +
          'about a second behind. `GET /v1/agents/{id}/kill-status` of the gateway shows what stops an agent now.',
        querystring: queryParameters({
          agent: described(
            id.optional(),
            'Only kills of this agent, alone or with its descendants.',
            'airline-007',
          ),
          state: described(
            z.enum(['in-force', 'all']).default('all'),
            'Which kills to return. `in-force`: only kills that no revive ended.',
            'in-force',
          ),
          cursor: cursor.parameter,
          limit,
        }),
        response: {
          200: z.object({
            kills: described(z.array(killFound), 'The kills, the newest first.'),
            next: nextCursor,
          }),
        },
      },
    },
    async (request) => {
      const { agent, state, cursor: pageKey, limit } = request.query;
      const rows = await ask(askerOf(request), kills, {
        tenant: callerOf(request).tenant,
        agentId: agent,
        ...(state === 'in-force' && { inForce: true }),
        beforeMs: pageKey?.[0],
        beforeId: pageKey?.[1],
        limit,
      });
      return {
        kills: rows.map(shownKill),
        next: cursor.next(rows, limit, ({ killedAt, id }) => [Date.parse(killedAt), id]),
      };
    },
  );
};
