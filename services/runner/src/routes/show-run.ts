/** GET /v1/runs/:id: one run, with the questions that it waits for and the outputs of its steps. */
import { type RunState, stateOfRun } from '@mandate/agent-manifest';
import { wireTime } from '@mandate/schemas';
import { callerOf, HttpProblem, type HttpServer } from '@mandate/server';
import type { z } from 'zod';
import type { Runner } from '../runner.ts';
import type { BookedRun } from '../runs/run-book.ts';
import { mustFind, runDetails, runParams, shownOf, type waitingFor } from './run-shapes.ts';

export function showRun(server: HttpServer, runner: Runner): void {
  server.get(
    '/v1/runs/:id',
    {
      config: { scope: ['audit', 'operate'], refusals: { 404: 'There is no such run.' } },
      schema: {
        tags: ['runs'],
        summary: 'Show a run, with what it waits for and the outputs of its steps',
        params: runParams,
        response: { 200: runDetails },
      },
    },
    async (request) => {
      const run = mustFind(runner, callerOf(request).tenant, request.params.id);
      return detailsOf(run, await stateOf(runner, run));
    },
  );
}

/** The state of a run, also of a run whose events are no longer in memory. */
async function stateOf({ runs, manifests }: Runner, run: BookedRun): Promise<RunState> {
  const plan = await manifests.planOf(run.started);
  const state =
    plan === null ? null : (runs.book.stateOf(run, plan) ?? stateOfRun(plan, await runs.eventsOf(run)));
  if (state !== null) return state;
  throw new HttpProblem(503, 'MANIFEST_UNKNOWN', 'the manifest of the run is not known yet', {
    remedy: 'Try again in a moment.',
    headers: { 'retry-after': '1' },
  });
}

function detailsOf(run: BookedRun, state: RunState): z.output<typeof runDetails> {
  const { current, started, status, steps, outputs, ended } = state;
  return {
    ...shownOf(run),
    status: status === 'running' && waitingOf(state) !== null ? 'waiting' : status,
    inputs: started.inputs,
    outputs,
    failure: ended,
    waiting: waitingOf(state),
    current:
      current === null
        ? null
        : {
            ...{ step: current.step, visit: current.visit, attempt: current.attempt, phase: current.phase },
            retryAt: current.phase === 'retrying' ? wireTime(current.fromMs) : null,
          },
    steps: Object.fromEntries(steps),
    events: run.offsets.length,
  };
}

function waitingOf({ current, status }: RunState): z.output<typeof waitingFor> {
  if (status !== 'running' || current === null) return null;
  const { step } = current;
  if (current.phase === 'deferred') return { for: 'approval', step, approvals: current.deferred.waiting };
  if (current.phase !== 'uncertain') return null;
  const { tool, actionId } = current.uncertain;
  return { for: 'resolution', step, tool, actionId };
}
