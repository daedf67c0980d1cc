/** GET /v1/audit/search: decisions by their own id or by the id of their action, for a person who types an id. */
import { searchIds } from '@mandate/audit';
import { described } from '@mandate/schemas';
import { callerOf } from '@mandate/server';
import { z } from 'zod';
import { askerOf, type Route } from '../query-context.ts';
import { queryParameters, wholeNumberWithin } from '../query-parameters.ts';

const SEARCHED_MS = 7 * 86_400_000;

export type IdFound = z.output<typeof searchIds.row>;

export const searchByIds: Route = (server, { ask, clock }) => {
  server.get(
    '/v1/audit/search',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['audit'],
        summary: 'Find decisions by the beginning of their id, or of the id of their action',
        description:
          'A whole id is found at any age. A beginning of an id is searched in the last 7 days. `GET /v1/search` finds ' +
          'agents, policies, rules and keys.',
        querystring: queryParameters({
          q: described(z.string().min(1).max(200), 'The id, or its beginning. Case matters.', 'act_7f'),
          limit: described(
            wholeNumberWithin(1, 50).default(10),
            'How many decisions to return at most, 1 to 50.',
            10,
          ),
        }),
        response: {
          200: z.object({ decisions: described(z.array(searchIds.row), 'The decisions, the newest first.') }),
        },
      },
    },
    async (request) => {
      const { q: text, limit } = request.query;
      const { tenant } = callerOf(request);
      const sinceMs = Math.max(0, clock() - SEARCHED_MS);
      return { decisions: await ask(askerOf(request), searchIds, { tenant, text, sinceMs, limit }) };
    },
  );
};
