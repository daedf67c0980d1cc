/**
 * GET /v1/audit/control-events: what operators did, and who changed agents, keys, policies, rules and grants, newest
 * first.
 */
import { CONTROL_EVENTS, searchControlEvents } from '@mandate/audit';
import { described, END_OF_TIME_MS, id } from '@mandate/schemas';
import { callerOf, nextCursor, pageCursor } from '@mandate/server';
import { z } from 'zod';
import { askerOf, type Route } from '../query-context.ts';
import { limit, period, queryParameters } from '../query-parameters.ts';

const cursor = pageCursor('control-events', z.tuple([z.int().min(0).max(END_OF_TIME_MS), id]));

export const listControlEvents: Route = (server, { ask, clock }) => {
  server.get(
    '/v1/audit/control-events',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['audit'],
        summary:
          'List kills, revives, adjusted budgets, approvals, ledger epochs, and changes of documents and keys; newest first',
        description:
          'The list has the events of the tenant, and the events that concern every tenant. A refused change is listed ' +
          'with its `refusal`. `/v1/audit/control-events/{id}` returns the whole document of a change.',
        querystring: queryParameters({
          agent: described(id.optional(), 'Only events about this agent.', 'airline-007'),
          event: described(z.enum(CONTROL_EVENTS).optional(), 'Only events of this kind.', 'agent.killed'),
          subject: described(
            id.optional(),
            'Only changes of the agent, key, policy, rule or grant with this id.',
            'read-only',
          ),
          by: described(
            z.string().min(1).max(500).optional(),
            'Only events by the person with this name, or by the key with this id.',
            'ops-laptop',
          ),
          ...period(clock),
          cursor: cursor.parameter,
          limit,
        }),
        response: {
          200: z.object({
            events: described(z.array(searchControlEvents.row), 'The events, the newest first.'),
            next: nextCursor,
          }),
        },
      },
    },
    async (request) => {
      const { agent, event, subject, by, from, to, cursor: pageKey, limit } = request.query;
      const events = await ask(askerOf(request), searchControlEvents, {
        tenant: callerOf(request).tenant,
        agentId: agent,
        event,
        subject,
        by,
        fromMs: from,
        toMs: to,
        beforeMs: pageKey?.[0],
        beforeId: pageKey?.[1],
        limit,
      });
      return { events, next: cursor.next(events, limit, (row) => [Date.parse(row.happenedAt), row.id]) };
    },
  );
};
