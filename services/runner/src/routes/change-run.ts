/** Appends the event of a person's command to a run, and says whether it took effect. */
import { type RunEvent, wireTime } from '@mandate/schemas';
import { callerOf, HttpProblem } from '@mandate/server';
import type { Runner } from '../runner.ts';
import type { BookedRun } from '../runs/run-book.ts';
import { type ShownRun, shownOf } from './run-shapes.ts';

type Command = Extract<RunEvent, { event: 'run.cancelled' | 'run.retried' | 'step.resolved' }>;
type Draft = Command extends infer Event
  ? Event extends Command
    ? Omit<Event, 'runId' | 'tenant' | 'at' | 'by'>
    : never
  : never;

/** The fold decides whether the command took effect, because the log may contain events of the runner before it. */
export async function changeRun(
  { runs, clock }: Runner,
  request: Parameters<typeof callerOf>[0],
  run: BookedRun,
  draft: Draft,
): Promise<ShownRun> {
  const { tenant, runId } = run;
  const by = `key:${callerOf(request).name}`;
  await runs.append(tenant, runId, [{ ...draft, runId, tenant, at: wireTime(clock()), by } as Command]);
  return shownOf(run);
}

export function wrongState(run: BookedRun, what: string, remedy: string): HttpProblem {
  return new HttpProblem(409, 'RUN_STATE_CONFLICT', `the run ${run.runId} ${what}`, { remedy });
}
