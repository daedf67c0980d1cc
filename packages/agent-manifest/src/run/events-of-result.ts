/** Turns the result of a performed step into an event. */
import type { RunEventOf } from '@mandate/schemas';
import { type EventDraft, finishedOrFailed } from './next-of-run.ts';
import type { Product, RunPlan } from './run-plan.ts';
import { type CurrentStep, type Failure, type RunState, workedMsAt } from './run-state.ts';

export type StepResult =
  | Product
  | { failure: Failure }
  | { deferred: Pick<RunEventOf<'step.deferred'>, 'what' | 'waiting'> }
  | { uncertain: Pick<RunEventOf<'step.uncertain'>, 'agentId' | 'actionId' | 'tool'> };

/** @param atMs when the result of the step arrived, in milliseconds since 1970 */
export function eventOfResult(
  plan: RunPlan,
  run: RunState,
  current: CurrentStep,
  { result, atMs }: { result: StepResult; atMs: number },
): EventDraft {
  const { step, visit, attempt } = current;
  const place = { step, visit, attempt };
  if ('deferred' in result) return { event: 'step.deferred', ...place, ...result.deferred };
  if ('uncertain' in result) return { event: 'step.uncertain', ...place, ...result.uncertain };
  if (plan.timeoutMs !== null && workedMsAt(run, atMs) > plan.timeoutMs) {
    const reason = `The run has worked for more than ${plan.timeoutMs} ms.`;
    return finishedOrFailed(place, { failed: 'RUN_TIMEOUT', reason });
  }
  if ('failure' in result) return { event: 'step.failed', ...place, ...result.failure };
  return finishedOrFailed(place, plan.finish(run, step, result));
}
