/**
 * The state of a run: a fold of its events. `applyEvent` is the only function that changes it, and it gives the same
 * state to every runner that reads the same events. An event that does not fit the state changes nothing, for example a
 * late event of a runner that lost the run, or the second answer of a person.
 */
import type { Json, RunEvent, RunEventOf } from '@mandate/schemas';
import { answerOf, type CallRecord, callsToAskAgain, isSameCall } from './calls-of-visit.ts';

/** The current visit of a step. */
export type CurrentStep = {
  step: string;
  visit: number;
  attempt: number;
  /** Absent for a switch. */
  inputs?: Json;
  /** The calls of this visit, over all attempts. Later attempts use the same answers, so no call is repeated. */
  calls: CallRecord[];
  /** True if a person answered the question of the step in this visit. */
  isGranted?: true;
  /**
   * When the attempt first waited for a person. The step may ask again, but this does not extend the time for an
   * answer.
   */
  askedAt?: string;
} & Phase;

type Phase =
  | { phase: 'performing' }
  | { phase: 'deferred'; deferred: RunEventOf<'step.deferred'> }
  | { phase: 'uncertain'; uncertain: RunEventOf<'step.uncertain'> }
  | { phase: 'resolved'; done: boolean; output: Json }
  | { phase: 'failed'; failure: Failure }
  | { phase: 'retrying'; fromMs: number };

export type Failure = { code: string; reason: string; retryable: boolean; retryAfterMs: number | null };

type RunStatus = 'running' | 'completed' | 'failed' | 'cancelled';

export type RunState = {
  started: RunEventOf<'run.started'>;
  status: RunStatus;
  /** The steps that were visited. `output` is the last output of the step. It is absent before the first output. */
  steps: Map<string, { visits: number; output?: Json }>;
  /** The members of outputs that the manifest declares as members of the state. */
  state: Map<string, Json>;
  /** The output of the last step. Null before the first output. */
  previous: Json;
  /** The step that comes next. Null after the last step. */
  next: string | null;
  current: CurrentStep | null;
  /** The number of visits since the start, or since a person retried a failed run. */
  visits: number;
  /** How often a person retried the run after it had failed. */
  retries: number;
  /**
   * The attempts of the current visit that do not count: attempts before a person's retry, and attempts that were not
   * carried out.
   */
  forgivenAttempts: number;
  /** The time that the run has worked, in milliseconds. Waiting for people does not count. */
  workedMs: number;
  /**
   * When the current time of work began, in milliseconds since 1970. Null while the run waits for a person, and after
   * its end.
   */
  workingSinceMs: number | null;
  lastEventMs: number;
  outputs: Json;
  /** Why the run failed or was cancelled. */
  ended: { code: string; reason: string; step: string | null } | null;
};

/** Changes the state by an output, and returns the members that the output sets. */
export type Absorb = (step: string, output: Json) => Iterable<readonly [name: string, value: Json]>;

/** Returns the state of a run that has only started. */
export function startedRun(started: RunEventOf<'run.started'>, start: string): RunState {
  const atMs = Date.parse(started.at);
  return {
    started,
    status: 'running',
    steps: new Map(),
    state: new Map(),
    previous: null,
    next: start,
    current: null,
    visits: 0,
    retries: 0,
    forgivenAttempts: 0,
    workedMs: 0,
    workingSinceMs: atMs,
    lastEventMs: atMs,
    outputs: null,
    ended: null,
  };
}

/** Returns the state after the events of one run. Null if the first event does not start a run. */
export function stateOfRun(
  { start, absorb }: { start: string; absorb: Absorb },
  events: Iterable<RunEvent>,
): RunState | null {
  let run: RunState | null = null;
  for (const event of events) {
    if (run !== null) applyEvent(run, event, absorb);
    else if (event.event === 'run.started') run = startedRun(event, start);
  }
  return run;
}

/** Applies an event. Returns false if the event does not fit the state. Then the state is unchanged. */
export function applyEvent(run: RunState, event: RunEvent, absorb: Absorb): boolean {
  const changed = change(run, event, absorb);
  if (changed) run.lastEventMs = Math.max(run.lastEventMs, Date.parse(event.at));
  return changed;
}

function change(run: RunState, event: RunEvent, absorb: Absorb): boolean {
  if (event.event === 'run.started') return false;
  if (event.event === 'run.retried') return retried(run, event);
  if (run.status !== 'running') return false;
  switch (event.event) {
    case 'step.begun':
      return begun(run, event);
    case 'run.completed':
      if (run.current !== null || run.next !== null) return false;
      run.outputs = event.outputs;
      return ended(run, event, 'completed');
    case 'run.failed':
      run.ended = { code: event.code, reason: event.reason, step: event.step };
      return ended(run, event, 'failed');
    case 'run.cancelled':
      run.ended = { code: 'CANCELLED', reason: event.reason, step: run.current?.step ?? run.next };
      return ended(run, event, 'cancelled');
    default:
      return ofStep(run, event, absorb);
  }
}

type StepEvent = Exclude<
  RunEvent,
  { event: 'run.started' | 'run.retried' | 'run.completed' | 'run.failed' | 'run.cancelled' | 'step.begun' }
>;

function begun(run: RunState, event: RunEventOf<'step.begun'>): boolean {
  const { step, visit, attempt } = event;
  const { current } = run;
  const inputs = event.inputs === undefined ? {} : { inputs: event.inputs };
  if (current === null) {
    if (step !== run.next || visit !== visitsOf(run, step) + 1 || attempt !== 1) return false;
    run.steps.set(step, { ...run.steps.get(step), visits: visit });
    run.visits += 1;
    run.forgivenAttempts = 0;
    run.current = { step, visit, attempt, ...inputs, calls: [], phase: 'performing' };
  } else {
    if (!isOf(current, event) || current.phase !== 'retrying') return false;
    const { askedAt: _, ...kept } = withoutPhase(current);
    run.current = { ...kept, attempt, ...inputs, phase: 'performing' };
  }
  work(run, event.at);
  return true;
}

function ofStep(run: RunState, event: StepEvent, absorb: Absorb): boolean {
  if (event.event === 'step.failed' && run.current === null) return failedBefore(run, event);
  const { current } = run;
  if (current === null || current.step !== event.step || current.visit !== event.visit) return false;
  if (event.event === 'step.retrying') {
    if (current.phase !== 'failed' || event.attempt !== current.attempt + 1) return false;
    const fromMs = Date.parse(event.at) + event.delayMs;
    run.current = { ...withoutPhase(current), attempt: event.attempt, phase: 'retrying', fromMs };
    return true;
  }
  // A call with a late answer belongs to an earlier attempt of the visit. Its answer counts nevertheless.
  if (event.event === 'call.completed') return callCompleted(run, current, event);
  if (current.attempt !== event.attempt) return false;
  switch (event.event) {
    case 'call.begun': {
      if (current.phase !== 'performing' || answerOf(current.calls, event) !== null) return false;
      const { agentId, actionId, call, repeatable } = event;
      current.calls.push({ event: 'call.begun', agentId, actionId, call, repeatable });
      return true;
    }
    case 'step.deferred':
      if (current.phase !== 'performing') return false;
      run.current = {
        ...{ askedAt: event.at, ...withoutPhase(current) },
        ...{ phase: 'deferred', deferred: event },
      };
      return rest(run, event.at);
    case 'step.granted':
      if (current.phase !== 'deferred') return false;
      run.current = {
        ...withoutPhase(current),
        ...(current.deferred.what === 'step' && { isGranted: true }),
        phase: 'performing',
      };
      return work(run, event.at);
    case 'step.resumed':
      // The time in which no runner held the run does not count as work.
      if (current.phase !== 'performing') return false;
      run.workingSinceMs = Date.parse(event.at);
      return true;
    case 'step.uncertain':
      if (current.phase !== 'performing' || answerOf(current.calls, event) !== null) return false;
      run.current = { ...withoutPhase(current), phase: 'uncertain', uncertain: event };
      return rest(run, event.at);
    case 'step.resolved':
      return resolved(run, current, event);
    case 'step.failed': {
      if (current.phase === 'failed' || current.phase === 'retrying') return false;
      const { code, reason, retryable, retryAfterMs } = event;
      const failure = { code, reason, retryable, retryAfterMs };
      run.current = { ...withoutPhase(current), phase: 'failed', failure };
      return true;
    }
    case 'step.completed': {
      if (current.phase !== 'performing' && current.phase !== 'resolved') return false;
      if (event.output !== undefined) {
        for (const [name, value] of absorb(event.step, event.output)) run.state.set(name, value);
        run.steps.set(event.step, { visits: event.visit, output: event.output });
        run.previous = event.output;
      }
      run.current = null;
      run.next = event.next;
      return true;
    }
  }
}

/** A step can fail before its first attempt began, because its inputs could not be computed. */
function failedBefore(run: RunState, event: RunEventOf<'step.failed'>): boolean {
  const { step, visit, attempt, code, reason, retryable, retryAfterMs } = event;
  if (step !== run.next || visit !== visitsOf(run, step) + 1 || attempt !== 1) return false;
  const failure = { code, reason, retryable, retryAfterMs };
  run.current = { step, visit, attempt, calls: [], phase: 'failed', failure };
  return true;
}

/** A call that has no answer yet, or that failed without a result, can still get an answer. */
function callCompleted(run: RunState, current: CurrentStep, event: RunEventOf<'call.completed'>): boolean {
  const { agentId, actionId, actionAttempt, answer, outcome } = event;
  const isBegun = current.calls.some((call) => call.event === 'call.begun' && isSameCall(call, event));
  if (!isBegun || answerOf(current.calls, event) !== null) return false;
  current.calls.push({ event: 'call.completed', agentId, actionId, actionAttempt, answer, outcome });
  if (current.phase !== 'uncertain' || !isSameCall(current.uncertain, event)) return true;
  run.current = { ...withoutPhase(current), phase: 'performing' };
  return work(run, event.at);
}

function resolved(run: RunState, current: CurrentStep, event: RunEventOf<'step.resolved'>): boolean {
  if (current.phase !== 'uncertain') return false;
  const { done, output = null } = event;
  const { agentId, actionId } = current.uncertain;
  const isCall = agentId !== null && actionId !== null;
  if (isCall && !done) current.calls.push({ event: 'call.resolved', agentId, actionId, done });
  if (isCall && done) {
    const text = typeof output === 'string' ? output : JSON.stringify(output);
    const answer = { type: 'tool', text, isError: false } as const;
    const known = { actionAttempt: null, answer, outcome: { status: 'success' } } as const;
    current.calls.push({ event: 'call.completed', agentId, actionId, ...known });
  }
  // The person did not say that the attempt failed, so it does not count as failed.
  if (!done) run.forgivenAttempts += 1;
  // The answer of a call that was done is like any other answer: the step continues with it.
  run.current =
    isCall && done
      ? { ...withoutPhase(current), phase: 'performing' }
      : { ...withoutPhase(current), phase: 'resolved', done, output };
  return work(run, event.at);
}

/** A person retries a failed run: the step that failed gets all its attempts again. */
function retried(run: RunState, event: RunEventOf<'run.retried'>): boolean {
  if (run.status !== 'failed') return false;
  const { current } = run;
  if (current === null && run.next === null) return false;
  if (current !== null) {
    if (!run.steps.has(current.step) || visitsOf(run, current.step) < current.visit) {
      // The step failed before its first attempt began.
      run.current = null;
    } else {
      const attempt = current.attempt + 1;
      current.calls.push(...callsToAskAgain(current.calls, run.ended?.code ?? null));
      const fromMs = Date.parse(event.at);
      run.current = { ...withoutPhase(current), attempt, phase: 'retrying', fromMs };
      run.forgivenAttempts = current.attempt;
    }
  }
  run.status = 'running';
  run.retries += 1;
  run.ended = null;
  run.visits = 0;
  run.workedMs = 0;
  run.workingSinceMs = Date.parse(event.at);
  return true;
}

export function visitsOf(run: RunState, step: string): number {
  return run.steps.get(step)?.visits ?? 0;
}

/** The time that the run has worked until `atMs`. */
export function workedMsAt({ workedMs, workingSinceMs }: RunState, atMs: number): number {
  return workedMs + (workingSinceMs === null ? 0 : Math.max(0, atMs - workingSinceMs));
}

function isOf(current: CurrentStep, { step, visit, attempt }: RunEventOf<'step.begun'>): boolean {
  return current.step === step && current.visit === visit && current.attempt === attempt;
}

function withoutPhase({ step, visit, attempt, inputs, calls, isGranted, askedAt }: CurrentStep) {
  return {
    ...{ step, visit, attempt, calls },
    ...(inputs === undefined ? {} : { inputs }),
    ...(isGranted && { isGranted }),
    ...(askedAt !== undefined && { askedAt }),
  };
}

function work(run: RunState, at: string): true {
  run.workingSinceMs ??= Date.parse(at);
  return true;
}

function rest(run: RunState, at: string): true {
  run.workedMs = workedMsAt(run, Date.parse(at));
  run.workingSinceMs = null;
  return true;
}

function ended(run: RunState, { at }: RunEvent, status: RunStatus): true {
  run.status = status;
  return rest(run, at);
}
