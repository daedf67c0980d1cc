/** Decides what a runner does next with a run. Pure: the same state and time always give the same answer. */
import type { RunEvent, RunEventOf } from '@mandate/schemas';
import type { Finished, RunPlan, StepFailure } from './run-plan.ts';
import { type CurrentStep, type RunState, visitsOf, workedMsAt } from './run-state.ts';

/** An event as the fold makes it. The runner adds the id of the run, the tenant and the time. */
export type EventDraft = RunEvent extends infer Event
  ? Event extends RunEvent
    ? Omit<Event, 'runId' | 'tenant' | 'at'>
    : never
  : never;

export type NextOfRun =
  /** Append the events, then call this function again. */
  | { do: 'append'; events: readonly EventDraft[] }
  /** Perform the current step, then append the events of its result. */
  | { do: 'perform'; current: CurrentStep }
  | { do: 'sleep'; untilMs: number }
  /** `untilMs`: the time after which an answer is too late. Null: an answer is never too late. */
  | { do: 'wait'; for: 'approval'; deferred: RunEventOf<'step.deferred'>; untilMs: number | null }
  | { do: 'wait'; for: 'resolution' }
  | { do: 'end' };

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 100_000;

export function nextOfRun(plan: RunPlan, run: RunState, nowMs: number): NextOfRun {
  if (run.status !== 'running') return { do: 'end' };
  const { current } = run;
  if (current === null) {
    return { do: 'append', events: run.next === null ? end(plan, run) : begin(plan, run, run.next) };
  }
  switch (current.phase) {
    case 'performing':
      // A switch is normally decided together with its beginning. After a crash between the two, it is decided now.
      if (plan.kindOf(current.step) === 'switch')
        return { do: 'append', events: [chosen(plan, run, current)] };
      return { do: 'perform', current };
    case 'deferred':
      return {
        do: 'wait',
        for: 'approval',
        deferred: current.deferred,
        untilMs: untilMsOf(plan, current),
      };
    case 'uncertain':
      return { do: 'wait', for: 'resolution' };
    case 'resolved':
      return { do: 'append', events: [afterResolution(plan, run, current)] };
    case 'failed':
      return { do: 'append', events: [afterFailure(plan, run, current, nowMs)] };
    case 'retrying':
      if (current.fromMs > nowMs) return { do: 'sleep', untilMs: current.fromMs };
      return { do: 'append', events: [begunAgain(current)] };
  }
}

function begin(plan: RunPlan, run: RunState, step: string): readonly EventDraft[] {
  if (plan.maxSteps !== null && run.visits >= plan.maxSteps) {
    const reason = `The run has made ${run.visits} visits, and its manifest allows ${plan.maxSteps}.`;
    return [{ event: 'run.failed', code: 'STEP_LIMIT', reason, step }];
  }
  const place = { step, visit: visitsOf(run, step) + 1, attempt: 1 };
  const read = plan.inputsOf(run, step);
  if ('failed' in read) return [failure(place, read)];
  const begun: EventDraft = {
    event: 'step.begun',
    ...place,
    ...(read.inputs === undefined ? {} : { inputs: read.inputs }),
  };
  return plan.kindOf(step) === 'switch' ? [begun, chosen(plan, run, place)] : [begun];
}

function begunAgain({ step, visit, attempt, inputs }: CurrentStep): EventDraft {
  return { event: 'step.begun', step, visit, attempt, ...(inputs === undefined ? {} : { inputs }) };
}

type Place = { step: string; visit: number; attempt: number };

function chosen(plan: RunPlan, run: RunState, place: Place): EventDraft {
  return finishedOrFailed(place, plan.choose(run, place.step));
}

/** The event of a step that has ended. */
export function finishedOrFailed(
  { step, visit, attempt }: Place,
  finished: Finished | StepFailure,
): EventDraft {
  const place = { step, visit, attempt };
  return 'failed' in finished ? failure(place, finished) : { event: 'step.completed', ...place, ...finished };
}

function failure(
  place: Place,
  { failed: code, reason }: StepFailure,
): Extract<EventDraft, { event: 'step.failed' }> {
  return { event: 'step.failed', ...place, code, reason, retryable: false, retryAfterMs: null };
}

function untilMsOf(plan: RunPlan, { step, askedAt }: CurrentStep): number | null {
  const answerMs = plan.answerMsOf(step);
  return answerMs === null || askedAt === undefined ? null : Date.parse(askedAt) + answerMs;
}

/** `forgotten`: the question is no longer known. `late`: no person has answered in time. */
export type PersonsAnswer = 'granted' | 'denied' | 'expired' | 'forgotten' | 'late';

/** Returns the event for a person's answer to the question of a waiting step. */
export function eventOfAnswer(
  plan: RunPlan,
  { step, visit, attempt, what }: RunEventOf<'step.deferred'>,
  answer: PersonsAnswer,
): EventDraft {
  const place = { step, visit, attempt };
  const granted: EventDraft = { event: 'step.granted', ...place };
  // The denial of a call within the step is reported to the model, so the step continues. If an approval expired before
  // it was used, the step makes the call again, and Mandate answers that a person must approve it again.
  if (what === 'calls' || answer === 'granted' || answer === 'expired') return granted;
  if (answer === 'denied')
    return failure(place, { failed: 'APPROVAL_DENIED', reason: 'A person denied the step.' });
  const answerMs = plan.answerMsOf(step);
  // A step without a time limit for the answer asks again.
  if (answerMs === null) return granted;
  const reason = `Nobody answered within ${answerMs / 1_000} seconds.`;
  return failure(place, { failed: 'HUMAN_TIMEOUT', reason });
}

function afterResolution(
  plan: RunPlan,
  run: RunState,
  current: CurrentStep & { phase: 'resolved' },
): EventDraft {
  const { step, visit, attempt, done, output } = current;
  if (done) return finishedOrFailed(current, plan.finish(run, step, { output }));
  const reason = 'A person said that the call was not done.';
  const place = { step, visit, attempt };
  return {
    event: 'step.failed',
    ...place,
    code: 'STEP_FAILED',
    reason,
    retryable: true,
    retryAfterMs: null,
  };
}

function afterFailure(
  plan: RunPlan,
  run: RunState,
  current: CurrentStep & { phase: 'failed' },
  nowMs: number,
): EventDraft {
  const { step, visit, attempt, failure } = current;
  const { code, reason, retryable, retryAfterMs } = failure;
  if (!retryable) return { event: 'run.failed', code, reason, step };
  const tried = attempt - run.forgivenAttempts;
  if (tried >= plan.attempts) {
    const said = `Attempt ${tried} of ${plan.attempts} failed with ${code}. ${reason}`;
    return { event: 'run.failed', code: 'RETRIES_EXHAUSTED', reason: said, step };
  }
  const delayMs = Math.max(delayBefore(tried + 1), retryAfterMs ?? 0);
  if (plan.timeoutMs !== null && workedMsAt(run, nowMs) + delayMs > plan.timeoutMs) {
    const said = `The next attempt would begin after the ${plan.timeoutMs} ms of the run. ${reason}`;
    return { event: 'run.failed', code: 'RUN_TIMEOUT', reason: said, step };
  }
  return { event: 'step.retrying', step, visit, attempt: attempt + 1, delayMs };
}

/**
 * The delay doubles with each attempt. `attempt` is the number of the next attempt. It is 1 if the last attempt does
 * not count.
 */
function delayBefore(attempt: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** Math.max(0, attempt - 2), LONGEST_DELAY_MS);
}

function end(plan: RunPlan, run: RunState): readonly EventDraft[] {
  const read = plan.outputsOf(run);
  if ('failed' in read) {
    const { failed: code, reason } = read;
    return [{ event: 'run.failed', code, reason, step: null }];
  }
  return [{ event: 'run.completed', outputs: read.outputs }];
}
