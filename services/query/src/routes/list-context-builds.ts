/** GET /v1/audit/context: what the context builders of programs did, newest first. */
import { searchContextBuilds } from '@mandate/audit';
import { contextBuilt, described, id, logPosition } from '@mandate/schemas';
import { callerOf, nextCursor, pageCursor } from '@mandate/server';
import { z } from 'zod';
import { askerOf, type Route, withLogPosition } from '../query-context.ts';
import { anyOf, limit, period, queryParameters } from '../query-parameters.ts';

const cursor = pageCursor('context', z.tuple([id, z.string()]));

const { steps, parentActionId } = contextBuilt.shape.build.shape;

const found = searchContextBuilds.row
  .omit({ payload: true, logTopic: true, logPartition: true, logOffset: true })
  .extend({
    parentActionId,
    steps,
    log: described(logPosition, 'The log position of the record.'),
  });

export const listContextBuilds: Route = (server, { ask, clock }) => {
  server.get(
    '/v1/audit/context',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['audit'],
        summary: 'List what context builders picked for chat requests, newest first',
        description:
          'Each request of a chat has one record, also if its builder was skipped or failed. Records are kept for 30 days, ' +
          'unless the privacy document says otherwise (`contextRetention`). Texts may be redacted or sealed.',
        querystring: queryParameters({
          agent: described(
            anyOf(id),
            'Only records of this agent; repeat it for several.',
            'context-builder',
          ),
          requestId: described(anyOf(id), 'Only the record of this chat request.', 'chat-4711'),
          actionId: described(anyOf(id), 'Only the record of this action.', 'act_7f3a'),
          principal: described(anyOf(id), 'Only records of this user, by the recorded name.', 'u1'),
          error: described(anyOf(id), 'Only records with this error.', 'TIMEOUT'),
          skipReason: described(
            anyOf(id),
            'Only records that were skipped for this reason.',
            'flag_disabled',
          ),
          ...period(clock),
          cursor: cursor.parameter,
          limit,
        }),
        response: {
          200: z.object({
            builds: described(z.array(found), 'The records, the newest first.'),
            next: nextCursor,
          }),
        },
      },
    },
    async (request) => {
      const { agent, principal, from, to, cursor: pageKey, ...filters } = request.query;
      const rows = await ask(askerOf(request), searchContextBuilds, {
        ...filters,
        tenant: callerOf(request).tenant,
        agentId: agent,
        principalId: principal,
        fromMs: from,
        toMs: to,
        beforeId: pageKey?.[0],
        beforeKeyId: pageKey?.[1],
      });
      return {
        builds: rows.map(({ payload: { parentActionId, steps }, ...row }) =>
          withLogPosition({ ...row, parentActionId, steps }),
        ),
        next: cursor.next(rows, filters.limit, (row) => [row.id, row.keyId]),
      };
    },
  );
};
