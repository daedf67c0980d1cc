/**
 * GET /v1/audit/control-events/:id: one change of an agent, key, policy, rule or grant, and whether the change took
 * effect.
 */
import { changeById } from '@mandate/audit';
import { described, id } from '@mandate/schemas';
import { callerOf, HttpProblem } from '@mandate/server';
import { z } from 'zod';
import { askerOf, type Route } from '../query-context.ts';
import { queryParameters } from '../query-parameters.ts';

export const showChange: Route = (server, { ask }) => {
  server.get(
    '/v1/audit/control-events/:id',
    {
      config: { scope: 'audit', refusals: { 404: 'The audit has no such change.' } },
      schema: {
        tags: ['audit'],
        summary: 'Show one change of an agent, key, policy, rule or grant in full',
        description: 'Only changes are found here. The list already shows every other control event in full.',
        params: z.object({ id: described(id, 'The id of the change.', 'chg_tenant') }),
        querystring: queryParameters({}),
        response: {
          200: changeById.row.omit({ payload: true }).extend({
            record: described(
              z.looseObject({ event: described(z.string(), 'The kind of the change.', 'rule.put') }),
              'The record on the control topic with the whole document, but without the hash of a key.',
            ),
          }),
        },
      },
    },
    async (request) => {
      const { tenant } = callerOf(request);
      const [row] = await ask(askerOf(request), changeById, { tenant, id: request.params.id });
      if (row === undefined) {
        throw new HttpProblem(404, 'CONTROL_EVENT_NOT_FOUND', 'the audit has no such change', {
          remedy: '/v1/audit/control-events lists all changes. A new change may take a second to appear.',
        });
      }
      const { payload, ...change } = row;
      return { ...change, record: JSON.parse(payload) };
    },
  );
};
