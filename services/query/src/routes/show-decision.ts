/** GET /v1/audit/decisions/:id: one whole decision. */
import { described, id } from '@mandate/schemas';
import { z } from 'zod';
import { askerOf, type Route } from '../query-context.ts';
import { queryParameters } from '../query-parameters.ts';
import { findWhole, wholeDecision } from '../whole-decision.ts';

export const showDecision: Route = (server, { ask }) => {
  server.get(
    '/v1/audit/decisions/:id',
    {
      config: { scope: 'audit', refusals: { 404: 'The audit has no such decision.' } },
      schema: {
        tags: ['audit'],
        summary: 'Show one decision: the record on the log, with the evidence and result of each check',
        params: z.object({
          id: described(id, 'The id of the decision.', 'dec_01ke6qx4f8c6ede247811a2d78f78a'),
        }),
        querystring: queryParameters({}),
        response: { 200: wholeDecision },
      },
    },
    async (request) => {
      const { traceId: _, ...record } = await findWhole(ask, askerOf(request), request.params.id);
      return record;
    },
  );
};
