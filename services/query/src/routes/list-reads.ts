/** GET /v1/audit/reads: who read what of the audit, newest first. */
import { searchReads } from '@mandate/audit';
import { auditRead, described, id, logPosition } from '@mandate/schemas';
import { callerOf, forbidden, nextCursor, pageCursor } from '@mandate/server';
import { z } from 'zod';
import { askerOf, type Route, withLogPosition } from '../query-context.ts';
import { anyOf, flag, limit, period, queryParameters } from '../query-parameters.ts';

const cursor = pageCursor('reads', z.tuple([id]));

const { read } = auditRead.shape;

const found = z.object({
  id: described(z.string(), 'The id of the record.', 'read_01ke7t3v8c8d1f0a2b3c4d5e6f7a8b'),
  tenant: described(z.string().nullable(), 'The tenant of the key. null: no key, or an unknown key.', 'acme'),
  keyId: described(
    z.string().nullable(),
    'The public id of the key. null: no key, or an unknown key.',
    'kQ2mZ8xW4pLd',
  ),
  keyName: described(
    z.string().nullable(),
    'The name of the key. null: no key, or an unknown key.',
    'auditor',
  ),
  ...read.pick({ method: true, route: true, parameters: true, refused: true }).shape,
  code: described(
    z.string().nullable(),
    'The code of the problem. UNAUTHENTICATED: the key was revoked, or only its id is right. null: the request was not refused.',
    'FORBIDDEN',
  ),
  ...read.pick({ requestId: true, traceId: true, at: true }).shape,
  log: described(logPosition, 'The log position of the record.'),
});

export type ReadFound = z.output<typeof found>;

export const listReads: Route = (server, { ask, clock }) => {
  server.get(
    '/v1/audit/reads',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['audit'],
        summary: 'List reads of the audit: who read what; newest first',
        description:
          'The list has every read with a key of the tenant, this one included. It also has every request, at any route, ' +
          'that was refused because of its key or its rate, or because the tenant is closed. A read may take a second to ' +
          'appear. A request that was refused with 401 or 429 may take a minute, and repeats share one row that counts them.',
        querystring: queryParameters({
          key: described(id.optional(), 'Only reads by the API key with this public id.', 'kQ2mZ8xW4pLd'),
          route: described(id.optional(), 'Only reads of this route.', '/v1/audit/decisions/:id'),
          notRoute: described(
            anyOf(id),
            'Only reads of other routes than this. Repeat it for several.',
            '/v1/audit/live',
          ),
          requestId: described(
            id.optional(),
            'Only the request with this id, which its `x-request-id` has.',
            '0b0f3f0e-6c1a-4a38-9b1a-2f7c55d0a9c1',
          ),
          refused: described(
            flag.optional(),
            '`true`: only refused requests. `false`: only requests that were not refused.',
            'true',
          ),
          known: described(
            flag.optional(),
            '`false`: only requests without a known key. This needs the scope `operate:all`.',
            'false',
          ),
          ...period(clock),
          cursor: cursor.parameter,
          limit,
        }),
        response: {
          200: z.object({
            reads: described(z.array(found), 'The reads, the newest first.'),
            next: nextCursor,
          }),
        },
      },
    },
    async (request) => {
      const {
        key,
        route,
        notRoute,
        requestId,
        refused,
        known,
        from,
        to,
        cursor: pageKey,
        limit,
      } = request.query;
      const { tenant, scopes } = callerOf(request);
      if (known === false && !scopes.includes('operate:all')) throw forbidden(['operate:all']);
      const rows = await ask(askerOf(request), searchReads, {
        tenant: known === false ? '' : tenant,
        keyId: key,
        route,
        notRoute,
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
