/** GET /v1/audit/reads: who read what of the audit, newest first. */
import { searchReads } from '@mandate/audit';
import { id } from '@mandate/schemas';
import { callerOf, forbidden, nextCursor, pageCursor } from '@mandate/server';
import { z } from 'zod';
import { askerOf, logPosition, type Route, withLogPosition } from '../query-context.ts';
import { flag, limit, period, queryParameters } from '../query-parameters.ts';

const cursor = pageCursor('reads', z.tuple([id]));

const found = z.object({
  id: z.string(),
  tenant: z.string().nullable().describe('null: of no key that anybody here ever had.'),
  keyId: z.string().nullable(),
  keyName: z.string().nullable(),
  method: z.string(),
  route: z.string(),
  parameters: z
    .record(z.string(), z.union([z.string(), z.array(z.string())]))
    .describe('Of path and query; long values are cut, and what is personal may be redacted.'),
  refused: z.boolean().describe('Nothing was shown, nor done.'),
  code: z
    .string()
    .nullable()
    .describe(
      'Why: UNAUTHENTICATED, where the key was revoked or only its id is right; else FORBIDDEN and others.',
    ),
  requestId: z.string(),
  traceId: z.string().nullable(),
  at: z.string(),
  log: logPosition,
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
          'Every read that a key of the tenant was accepted for, this one too, and whatever its keys were refused, at every route. One that was just made may take a second to be on record here, refused with 401 a minute: repeats are one row that counts them.',
        querystring: queryParameters({
          key: id.optional().describe('By this API key, as it is named by id.'),
          route: id.optional().describe('Of this route: `/v1/audit/decisions/:id`.'),
          requestId: id.optional().describe('The request that its `x-request-id` named.'),
          refused: flag.optional().describe('`true`: those that were refused; `false`: the others.'),
          known: flag
            .optional()
            .describe(
              '`false`: what was asked with no key that anybody here ever had; with the scope operate:all.',
            ),
          ...period(clock),
          cursor: cursor.parameter,
          limit,
        }),
        response: { 200: z.object({ reads: z.array(found), next: nextCursor }) },
      },
    },
    async (request) => {
      const { key, route, requestId, refused, known, from, to, cursor: pageKey, limit } = request.query;
      const { tenant, scopes } = callerOf(request);
      if (known === false && !scopes.includes('operate:all')) throw forbidden(['operate:all']);
      const rows = await ask(askerOf(request), searchReads, {
        tenant: known === false ? '' : tenant,
        keyId: key,
        route,
        requestId,
        refused,
        fromMs: from,
        toMs: to,
        before: pageKey?.[0],
        limit,
      });
      return { reads: rows.map(withLogPosition), next: cursor.next(rows, limit, (row) => [row.id]) };
    },
  );
};
