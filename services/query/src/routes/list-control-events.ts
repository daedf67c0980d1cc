/** GET /v1/audit/control-events: what operators did, newest first. */
import { CONTROL_EVENTS, searchControlEvents } from '@mandate/audit';
import { callerOf, nextCursor, pageCursor } from '@mandate/runtime';
import { id } from '@mandate/schemas';
import { z } from 'zod';
import { askerOf, type Route } from '../query-context.ts';
import { END_OF_TIME_MS, limit, period, queryParameters } from '../query-parameters.ts';

const cursor = pageCursor('control-events', z.tuple([z.int().min(0).max(END_OF_TIME_MS), id]));

export const listControlEvents: Route = (server, { ask, clock }) => {
  server.get(
    '/v1/audit/control-events',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['audit'],
        summary: 'Kills, revives, adjusted budgets, approvals and ledger epochs, newest first',
        description: "The tenant's own, and those that concern everyone.",
        querystring: queryParameters({
          agent: id.optional().describe('About this agent.'),
          event: z.enum(CONTROL_EVENTS).optional().describe('Only these.'),
          ...period(clock),
          cursor: cursor.parameter,
          limit,
        }),
        response: { 200: z.object({ events: z.array(searchControlEvents.row), next: nextCursor }) },
      },
    },
    async (request) => {
      const { agent, event, from, to, cursor: place, limit } = request.query;
      const events = await ask(askerOf(request), searchControlEvents, {
        tenant: callerOf(request).tenant,
        agentId: agent,
        event,
        fromMs: from,
        toMs: to,
        beforeMs: place?.[0],
        beforeId: place?.[1],
        limit,
      });
      return { events, next: cursor.next(events, limit, (row) => [Date.parse(row.happenedAt), row.id]) };
    },
  );
};
