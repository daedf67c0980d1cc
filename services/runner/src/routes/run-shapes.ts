/** The schemas of the answers about runs. */
import { count, described, id, parsedJson, runStarted, time } from '@mandate/schemas';
import { HttpProblem } from '@mandate/server';
import { z } from 'zod';
import type { Runner } from '../runner.ts';
import type { BookedRun } from '../runs/run-book.ts';

export const RUN_STATUSES = ['running', 'waiting', 'completed', 'failed', 'cancelled'] as const;

const { manifest, agent, principal, by } = runStarted.shape;

export const runId = described(id, 'The run.', 'run_01kc7d5k0g');

export const runParams = z.object({ id: runId });

const status = described(
  z.enum(RUN_STATUSES),
  'The status of the run. `waiting`: a person must approve or resolve something.',
);

export const shownRun = z.object({
  id: runId,
  manifest,
  agent,
  principal,
  by,
  status,
  startedAt: described(time, 'When the run was started.'),
  updatedAt: described(time, 'When its last event was written.'),
});

export type ShownRun = z.output<typeof shownRun>;

export const waitingFor = z
  .discriminatedUnion('for', [
    z.object({
      for: described(z.literal('approval'), 'A person must approve or deny.'),
      step: described(id, 'The step that waits.', 'refund'),
      approvals: described(
        z.array(
          z.object({
            approvalId: described(
              z.string(),
              'The question: `mandate approve` answers it.',
              'apv_WyJyZXNlYXJjaCJd',
            ),
            agentId: described(id, 'The agent that asked.', 'research.researcher'),
            actionId: described(id, 'The action that waits.', 'run_01kc7d5k0g:search:1'),
            isExpired: described(
              z.literal(true).optional(),
              'A person had approved the action, but the approval expired before it was used. Absent: no.',
              true,
            ),
          }),
        ),
        'The questions.',
      ),
    }),
    z.object({
      for: described(z.literal('resolution'), 'A person must say what became of a call.'),
      step: described(id, 'The step that waits.', 'refund'),
      tool: described(z.string().nullable(), 'The tool. null: the step as a whole.', 'send_money'),
      actionId: described(
        id.nullable(),
        'The action of the call. null: the step.',
        'run_01kc7d5k0g:refund:1:t1',
      ),
    }),
  ])
  .nullable();

export const runDetails = shownRun.extend({
  inputs: described(parsedJson, 'The inputs, with defaults filled in.', { query: 'tea' }),
  outputs: described(parsedJson, 'The outputs. null: the run is not completed.', {
    summary: 'Tea is a drink.',
  }),
  failure: described(
    z
      .object({
        code: described(z.string(), 'Why.', 'RETRIES_EXHAUSTED'),
        reason: described(z.string(), 'Why, in words.', 'Attempt 4 of 4 failed.'),
        step: described(id.nullable(), 'The step. null: after the last step.', 'search'),
      })
      .nullable(),
    'Why the run failed or was cancelled. null: it did not.',
  ),
  waiting: described(waitingFor, 'What the run waits for. null: for no person.'),
  current: described(
    z
      .object({
        step: described(id, 'The step.', 'search'),
        visit: described(count, 'How often the run has come to the step.', 1),
        attempt: described(count, 'The attempt of this visit.', 1),
        phase: described(
          z.enum(['performing', 'deferred', 'uncertain', 'resolved', 'failed', 'retrying']),
          'What the step is doing.',
        ),
        retryAt: described(time.nullable(), 'When the next attempt begins. null: no attempt is planned.'),
      })
      .nullable(),
    'The step that the run is at. null: between steps, or after the end.',
  ),
  steps: described(
    z.record(
      z.string(),
      z.object({
        visits: described(count, 'How often the step was begun.', 1),
        output: described(parsedJson.optional(), 'Its last output. Absent: there is none yet.', { pages: 3 }),
      }),
    ),
    'The steps that were visited.',
    { search: { visits: 1, output: { pages: 3 } } },
  ),
  events: described(count, 'How many events the run has.', 12),
});

/** Returns the status for people: a run that waits for a person is `waiting`. */
export function shownOf(run: BookedRun): ShownRun {
  const { runId: id, started, status, updatedAt } = run;
  const { manifest, agent, principal, by, at: startedAt } = started;
  return {
    ...{ id, manifest, agent, principal, by, startedAt, updatedAt },
    status: status === 'running' && isWaiting(run) ? 'waiting' : status,
  };
}

/** It is read from the events, so that a list needs no manifest. */
function isWaiting({ events }: BookedRun): boolean {
  const last = events?.at(-1)?.event;
  return last === 'step.deferred' || last === 'step.uncertain';
}

export function mustFind({ runs }: Pick<Runner, 'runs'>, tenant: string, runId: string): BookedRun {
  const found = runs.book.get(tenant, runId);
  if (found !== null) return found;
  throw new HttpProblem(404, 'RUN_NOT_FOUND', `there is no run ${runId}`, {
    remedy: 'GET /v1/runs lists the runs. Only the log has the oldest ones.',
  });
}

export function manifestUnknown(id: string): HttpProblem {
  return new HttpProblem(404, 'MANIFEST_NOT_PUBLISHED', `there is no published manifest ${id}`, {
    remedy: 'Publish it with `mandate manifest publish FILE`. GET /v1/manifests lists what there is.',
  });
}
