/** GET /v1/audit/dead-letters: records that could not be read, newest first. */
import { searchDeadLetters } from '@mandate/audit';
import { id, time, topicOfTenant } from '@mandate/schemas';
import { callerOf, nextCursor, pageCursor } from '@mandate/server';
import { z } from 'zod';
import { askerOf, logPosition, type Route, withLogPosition } from '../query-context.ts';
import { flag, limit, period, queryParameters } from '../query-parameters.ts';

const cursor = pageCursor('dead-letters', z.tuple([id]));

const found = z.object({
  id: z.string(),
  source: z.object({ topic: z.string(), partition: z.int(), offset: z.int() }),
  code: z.string(),
  reason: z.string(),
  pointer: z.string(),
  bytes: z.int(),
  truncated: z.boolean(),
  appendedAt: time,
  foundAt: time,
  republications: z.int().describe('How often it was published again.'),
  log: logPosition.describe('Where the dead letter lies, with the bytes.'),
});

const republished = flag
  .optional()
  .describe('`true`: those that were published again; `false`: those that nobody has seen to yet.');

export const listDeadLetters: Route = (server, { ask, clock }) => {
  server.get(
    '/v1/audit/dead-letters',
    {
      config: { scope: ['audit', 'operate:all'] },
      schema: {
        tags: ['audit'],
        summary: 'Records that could not be read, newest first',
        description:
          "What cannot be read names no tenant that one could trust. So only the topic tells whose it is: those of the tenant's own topic, and with the scope operate:all those of every topic.",
        querystring: queryParameters({
          ...period(clock),
          republished,
          cursor: cursor.parameter,
          limit,
        }),
        response: { 200: z.object({ deadLetters: z.array(found), next: nextCursor }) },
      },
    },
    async (request) => {
      const { from, to, republished, cursor: pageKey, limit } = request.query;
      const { tenant, scopes } = callerOf(request);
      const rows = await ask(askerOf(request), searchDeadLetters, {
        sourceTopic: scopes.includes('operate:all') ? undefined : topicOfTenant(tenant),
        fromMs: from,
        toMs: to,
        republished,
        before: pageKey?.[0],
        limit,
      });
      const deadLetters = rows.map(({ sourceTopic: topic, sourcePartition, sourceOffset, ...row }) =>
        withLogPosition({ ...row, source: { topic, partition: sourcePartition, offset: sourceOffset } }),
      );
      return { deadLetters, next: cursor.next(rows, limit, (row) => [row.id]) };
    },
  );
};
