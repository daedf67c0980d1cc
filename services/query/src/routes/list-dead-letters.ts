/** GET /v1/audit/dead-letters: records that could not be read, newest first. */
import { searchDeadLetters } from '@mandate/audit';
import { described, id, logPosition, time, topicOfTenant } from '@mandate/schemas';
import { callerOf, nextCursor, pageCursor } from '@mandate/server';
import { z } from 'zod';
import { askerOf, type Route, withLogPosition } from '../query-context.ts';
import { flag, limit, period, queryParameters } from '../query-parameters.ts';

const cursor = pageCursor('dead-letters', z.tuple([id]));

const found = z.object({
  id: described(z.string(), 'The id of the dead letter.', 'dlq_01ke6qys6r234a8ff792246c8f031c'),
  source: described(logPosition, 'The log position of the record that could not be read.'),
  code: described(z.string(), 'The code of the fault.', 'INVALID_ACTION'),
  reason: described(z.string(), 'What is wrong with the record.', '/action/attempt must be at least 1'),
  pointer: described(
    z.string(),
    'A JSON pointer to the field with the fault. Empty: the whole record.',
    '/action/attempt',
  ),
  bytes: described(z.int(), 'The size of the record, in bytes.', 128),
  truncated: described(z.boolean(), 'Whether the dead letter has only the beginning of the record.', false),
  appendedAt: described(time, 'When the log took the record.'),
  foundAt: described(time, 'When the dead letter was written.'),
  republications: described(z.int(), 'How many times it was published again.', 1),
  log: described(logPosition, 'The log position of the dead letter, which has the bytes.'),
});

export type DeadLetterFound = z.output<typeof found>;

const republished = described(
  flag.optional(),
  '`true`: only dead letters that were published again. `false`: only dead letters that were not.',
  'false',
);

export const listDeadLetters: Route = (server, { ask, clock }) => {
  server.get(
    '/v1/audit/dead-letters',
    {
      config: { scope: ['audit', 'operate:all'] },
      schema: {
        tags: ['audit'],
        summary: 'List dead letters, newest first',
        description:
          'A record that cannot be read names no tenant that can be trusted. So its topic decides who sees it. A key ' +
          "sees the dead letters of its tenant's own topic. A key with the scope `operate:all` sees those of every topic.",
        querystring: queryParameters({
          ...period(clock),
          republished,
          cursor: cursor.parameter,
          limit,
        }),
        response: {
          200: z.object({
            deadLetters: described(z.array(found), 'The dead letters, the newest first.'),
            next: nextCursor,
          }),
        },
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
