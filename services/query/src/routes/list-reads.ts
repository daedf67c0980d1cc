/** GET /v1/audit/reads: who read what of the audit, newest first. */
import { searchReads } from '@mandate/audit';
import { callerOf, nextCursor, pageCursor } from '@mandate/runtime';
import { id } from '@mandate/schemas';
import { z } from 'zod';
import { askerOf, logPlace, type Route, withLogPlace } from '../query-context.ts';
import { limit, period, queryParameters } from '../query-parameters.ts';

const cursor = pageCursor('reads', z.tuple([id]));

const found = z.object({
  id: z.string(),
  keyId: z.string(),
  keyName: z.string(),
  method: z.string(),
  route: z.string(),
  parameters: z
    .record(z.string(), z.union([z.string(), z.array(z.string())]))
    .describe('Of path and query; long values are cut, and what is personal may be redacted.'),
  refused: z.boolean().describe('The key lacked the scope.'),
  requestId: z.string(),
  traceId: z.string().nullable(),
  at: z.string(),
  log: logPlace,
});

export const listReads: Route = (server, { ask, clock }) => {
  server.get(
    '/v1/audit/reads',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['audit'],
        summary: 'Who read what of the audit, newest first',
        description:
          'Every request under /v1/audit that a key of the tenant was accepted for, this one too. One that was just made may take a second to be on record here.',
        querystring: queryParameters({
          key: id.optional().describe('By this API key, as it is named by id.'),
          route: id.optional().describe('Of this route: `/v1/audit/decisions/:id`.'),
          requestId: id.optional().describe('The request that its `x-request-id` named.'),
          ...period(clock),
          cursor: cursor.parameter,
          limit,
        }),
        response: { 200: z.object({ reads: z.array(found), next: nextCursor }) },
      },
    },
    async (request) => {
      const { key, route, requestId, from, to, cursor: place, limit } = request.query;
      const rows = await ask(askerOf(request), searchReads, {
        tenant: callerOf(request).tenant,
        keyId: key,
        route,
        requestId,
        fromMs: from,
        toMs: to,
        before: place?.[0],
        limit,
      });
      return { reads: rows.map(withLogPlace), next: cursor.next(rows, limit, (row) => [row.id]) };
    },
  );
};
