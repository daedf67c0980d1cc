/** POST /v1/runs/:id/retry: continues a failed run at the step that failed. */
import { callerOf, type HttpServer } from '@mandate/server';
import type { Runner } from '../runner.ts';
import { changeRun, wrongState } from './change-run.ts';
import { mustFind, runParams, shownRun } from './run-shapes.ts';

export function retryRun(server: HttpServer, runner: Runner): void {
  server.post(
    '/v1/runs/:id/retry',
    {
      config: {
        scope: 'operate',
        refusals: {
          404: 'There is no such run.',
          409: 'The run has not failed, or failed after its last step.',
        },
      },
      schema: {
        tags: ['runs'],
        summary: 'Let a failed run go on at the step that failed',
        description:
          'The step gets all its attempts again, and the run its time. Calls that were completed are not made again. ' +
          'Calls that were refused are asked again, as other actions, and so is the model if its last answer was of no use.',
        params: runParams,
        response: { 200: shownRun },
      },
    },
    async (request) => {
      const run = mustFind(runner, callerOf(request).tenant, request.params.id);
      if (run.status !== 'failed')
        throw wrongState(run, `is ${run.status}`, 'Only a run that failed can be retried.');
      const shown = await changeRun(runner, request, run, { event: 'run.retried' });
      if (shown.status !== 'failed') return shown;
      throw wrongState(run, 'failed after its last step', 'Start a new run.');
    },
  );
}
