/** GET /v1/approvals: questions that wait for a person, newest first. */
import { approvals, waitingApprovals } from '@mandate/audit';
import { count, described, id } from '@mandate/schemas';
import { callerOf, nextCursor, pageCursor } from '@mandate/server';
import { z } from 'zod';
import { approvalFound, shownApproval } from '../approval-found.ts';
import { askerOf, type Route } from '../query-context.ts';
import { limit, period, queryParameters } from '../query-parameters.ts';

const cursor = pageCursor('approvals', z.tuple([id]));

export const listApprovals: Route = (server, { ask, clock }) => {
  server.get(
    '/v1/approvals',
    {
      config: { scope: ['audit', 'approve', 'operate'] },
      schema: {
        tags: ['approvals'],
        summary: 'List actions that wait for a person, newest first',
        description:
          'The list has the newest question about each action, with what a person needs to answer it. To answer, use ' +
          '`POST /v1/approvals/{id}/approve` or `/deny` of the gateway. The list comes from the audit, which is about a ' +
          'second behind.',
        querystring: queryParameters({
          agent: described(id.optional(), 'Only questions of this agent.', 'airline-007'),
          state: described(
            z.enum(['waiting', 'all']).default('waiting'),
            'Which questions to return. `waiting`: nobody has answered, and nothing was decided about the action since. `all`: every question.',
            'waiting',
          ),
          ...period(clock),
          cursor: cursor.parameter,
          limit,
        }),
        response: {
          200: z.object({
            approvals: described(z.array(approvalFound), 'The questions, the newest first.'),
            waiting: described(
              count,
              'How many actions wait for a person, also those on other pages. The filters `agent`, `from` and `to` apply.',
              3,
            ),
            next: nextCursor,
          }),
        },
      },
    },
    async (request) => {
      const { agent, state, from, to, cursor: pageKey, limit } = request.query;
      const asker = askerOf(request);
      const filter = { tenant: callerOf(request).tenant, agentId: agent, fromMs: from, toMs: to };
      const rows = await ask(asker, approvals, {
        ...filter,
        ...(state === 'waiting' && { waiting: true }),
        before: pageKey?.[0],
        limit,
      });
      // Usually the first page has everything that waits, and needs no second question.
      const isWhole = state === 'waiting' && pageKey === undefined && rows.length < limit;
      const [counted] = isWhole ? [] : await ask(asker, waitingApprovals, filter);
      return {
        waiting: isWhole ? rows.length : (counted?.waiting ?? 0),
        approvals: rows.map(shownApproval),
        next: cursor.next(rows, limit, ({ decisionId }) => [decisionId]),
      };
    },
  );
};
