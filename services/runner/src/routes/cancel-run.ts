/** POST /v1/runs/:id/cancel: ends a run. Its running work is aborted. */
import { described } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import type { Runner } from '../runner.ts';
import { changeRun, wrongState } from './change-run.ts';
import { mustFind, runParams, shownOf, shownRun } from './run-shapes.ts';

export function cancelRun(server: HttpServer, runner: Runner): void {
  server.post(
    '/v1/runs/:id/cancel',
    {
      config: {
        scope: 'operate',
        refusals: { 404: 'There is no such run.', 409: 'The run has already ended.' },
      },
      schema: {
        tags: ['runs'],
        summary: 'Cancel a run. Calls that run are aborted',
        params: runParams,
        body: z
          .strictObject({
            reason: described(z.string().min(1).max(1_000).optional(), 'Why, in your words.', 'wrong inputs'),
          })
          .optional()
          .meta({ examples: [{ reason: 'wrong inputs' }] }),
        response: { 200: shownRun },
      },
    },
    async (request) => {
      const run = mustFind(runner, callerOf(request).tenant, request.params.id);
      if (run.status === 'cancelled') return shownOf(run);
      if (run.status !== 'running') throw wrongState(run, `has ${run.status}`, 'Nothing is left to cancel.');
      const reason = request.body?.reason ?? 'cancelled by an operator';
      return changeRun(runner, request, run, { event: 'run.cancelled', reason });
    },
  );
}
