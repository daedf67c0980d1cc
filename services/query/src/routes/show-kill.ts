/** GET /v1/audit/kills/:id: one kill, and its revive if there is one. */
import { kills } from '@mandate/audit';
import { described, id } from '@mandate/schemas';
import { callerOf, HttpProblem } from '@mandate/server';
import { z } from 'zod';
import { killFound, shownKill } from '../kill-found.ts';
import { askerOf, type Route } from '../query-context.ts';
import { queryParameters } from '../query-parameters.ts';

export const showKill: Route = (server, { ask }) => {
  server.get(
    '/v1/audit/kills/:id',
    {
      config: { scope: 'audit', refusals: { 404: 'The audit has no such kill.' } },
      schema: {
        tags: ['audit'],
        summary: 'Show one kill: who ordered it, why, which calls could still run, and who ended it',
        description: "The id is the `commandId` in the gateway's answer to the kill.",
        params: z.object({ id: described(id, 'The id of the kill.', 'kill_1') }),
        querystring: queryParameters({}),
        response: { 200: killFound },
      },
    },
    async (request) => {
      const { tenant } = callerOf(request);
      const [row] = await ask(askerOf(request), kills, { tenant, id: request.params.id, limit: 1 });
      if (row !== undefined) return shownKill(row);
      throw new HttpProblem(404, 'KILL_NOT_FOUND', 'the audit has no such kill', {
        remedy: 'GET /v1/audit/kills lists all kills. A new kill may take a second to appear.',
      });
    },
  );
};
