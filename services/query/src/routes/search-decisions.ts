/** GET /v1/audit/decisions: decisions, newest first. */
import { searchDecisions as question } from '@mandate/audit';
import { described, id } from '@mandate/schemas';
import { callerOf, nextCursor, pageCursor } from '@mandate/server';
import { z } from 'zod';
import { decisionFilterOf, decisionFilterParameters } from '../decision-filter-parameters.ts';
import { decisionFound, shownDecision } from '../found-rows.ts';
import { askerOf, type Route } from '../query-context.ts';
import { limit, queryParameters } from '../query-parameters.ts';

const cursor = pageCursor('decisions', z.tuple([id]));

export const searchDecisions: Route = (server, { ask, clock }) => {
  server.get(
    '/v1/audit/decisions',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['audit'],
        summary: 'Search decisions, newest first',
        description:
          'The decision on the request that reached the log last comes first. A decision must match every given filter. ' +
          'Void decisions are left out: a rebuilt ledger has replaced them. The URL contains the whole search, so you ' +
          'can save it.',
        querystring: queryParameters({ ...decisionFilterParameters(clock), cursor: cursor.parameter, limit }),
        response: {
          200: z.object({
            decisions: described(z.array(decisionFound), 'The decisions, the newest first.'),
            next: nextCursor,
          }),
        },
      },
    },
    async (request) => {
      const { cursor: pageKey, limit, ...given } = request.query;
      const filter = decisionFilterOf(callerOf(request).tenant, given);
      const rows = await ask(askerOf(request), question, { ...filter, before: pageKey?.[0], limit });
      return { decisions: rows.map(shownDecision), next: cursor.next(rows, limit, (row) => [row.id]) };
    },
  );
};
