/** POST /v1/runs/:id/steps/:step/resolve: a person says whether an uncertain call was done. */
import { described, id, parsedJson } from '@mandate/schemas';
import { callerOf, HttpProblem, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import type { Runner } from '../runner.ts';
import { changeRun, wrongState } from './change-run.ts';
import { mustFind, runId, shownRun } from './run-shapes.ts';

export function resolveStep(server: HttpServer, runner: Runner): void {
  server.post(
    '/v1/runs/:id/steps/:step/resolve',
    {
      config: {
        scope: 'operate',
        refusals: {
          404: 'There is no such run.',
          409: 'The step is not uncertain.',
          422: 'An output was given for a call that was not done.',
        },
      },
      schema: {
        tags: ['runs'],
        summary: 'Say whether an uncertain call was done',
        description:
          'After a crash it may be unknown whether a tool had its effect. If it was done, give what it would have ' +
          'answered: the run goes on with it. If it was not done, the call is made again.',
        params: z.object({ id: runId, step: described(id, 'The step that is uncertain.', 'refund') }),
        body: z
          .strictObject({
            done: described(z.boolean(), 'Whether the effect happened.', true),
            output: described(
              parsedJson.optional(),
              'What the call would have answered. Only if it was done. Default: null.',
              { paid: true },
            ),
          })
          .meta({ examples: [{ done: true, output: { paid: true } }] }),
        response: { 200: shownRun },
      },
    },
    async (request) => {
      const { id, step } = request.params;
      const { done, output } = request.body;
      const run = mustFind(runner, callerOf(request).tenant, id);
      if (!done && output !== undefined) {
        throw new HttpProblem(422, 'VALIDATION_FAILED', 'a call that was not done has no output', {
          remedy: 'Leave `output` out, or set `done` to true.',
        });
      }
      const last = run.events?.at(-1);
      if (last?.event !== 'step.uncertain' || last.step !== step || run.status !== 'running')
        throw wrongState(
          run,
          `does not wait at the step ${step}`,
          'GET /v1/runs/{id} shows what it waits for.',
        );
      const { visit, attempt } = last;
      return changeRun(runner, request, run, {
        ...{ event: 'step.resolved', step, visit, attempt, done },
        ...(done && { output: output ?? null }),
      });
    },
  );
}
