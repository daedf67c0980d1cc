/**
 * Drives one run: asks the fold what comes next, does it, appends the result to the log, and asks again. Everything
 * that a driver knows is on the log, so another process can continue after any event.
 */
import {
  type CurrentStep,
  type EventDraft,
  eventOfAnswer,
  eventOfResult,
  type Failure,
  type NextOfRun,
  nextOfRun,
  type RunPlan,
  type RunState,
  takeOver,
} from '@mandate/agent-manifest';
import { type Clock, isMandateError, type Logger } from '@mandate/runtime';
import { type RunEvent, wireTime } from '@mandate/schemas';
import type { AwaitAnswer } from '../perform/await-answer.ts';
import type { PerformStep } from '../perform/perform-step.ts';
import type { FollowedRuns } from './follow-runs.ts';
import type { BookedRun } from './run-book.ts';

export type Driving = {
  runs: Pick<FollowedRuns, 'append' | 'book'>;
  perform: PerformStep;
  awaitAnswer: AwaitAnswer;
  clock: Clock;
  log: Logger;
};

/** The state of the partition that contains the run: partition-hold.ts. */
type Holding = {
  /** Aborts because another process may hold the run now. */
  signal: AbortSignal;
  untilHeld(): Promise<void>;
  setBusy(isBusy: boolean): void;
};

const LONGEST_SLEEP_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
const SUPERSEDED_MS = 5_000;
const MOST_SUPERSEDED = 6;

/**
 * Drives the run until it ends, or until another process may hold the run.
 *
 * @param isTakenOver true if another process may have been in the middle of a step
 */
export async function driveRun(
  booked: BookedRun,
  plan: RunPlan,
  { isTakenOver, holding }: { isTakenOver: boolean; holding: Holding },
  driving: Driving,
): Promise<void> {
  const { runs, clock, log } = driving;
  const { signal } = holding;
  /** The actions of calls that have begun but have no answer yet. */
  const underWay = new Set<string>();
  const changed = changesOf(booked, driving);
  let takes = isTakenOver;
  /** The attempt that this driver took over in the middle. */
  let taken: string | null = null;
  let pauseMs = FIRST_PAUSE_MS;
  let superseded = 0;
  try {
    while (!signal.aborted) {
      const state = runs.book.stateOf(booked, plan);
      if (state === null)
        log.error({ run: booked.runId }, 'a run cannot go on, because the log no longer has its first event');
      if (state === null || state.status !== 'running') return;
      try {
        const went = takes ? await resume(state) : await step(state);
        takes = false;
        if (went === 'end') return;
        pauseMs = FIRST_PAUSE_MS;
      } catch (err) {
        if (signal.aborted) return;
        // The log or the plane may be away. Nothing is lost: the run continues after its last event.
        const retryable = isMandateError(err) && err.retryable;
        log[retryable ? 'warn' : 'error']({ err, run: booked.runId }, 'a run waits after an error');
        await changed.within(pauseMs, signal);
        pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
        takes = true;
      }
    }
  } finally {
    changed.stop();
  }

  async function resume(state: RunState): Promise<'on'> {
    const event = takeOver(state);
    if (event !== null) await append([event]);
    if (event?.event === 'step.resumed') taken = placeOf(event);
    return 'on';
  }

  async function step(state: RunState): Promise<'on' | 'end'> {
    const next = nextOfRun(plan, state, clock());
    switch (next.do) {
      case 'end':
        return 'end';
      case 'append':
        await append(next.events);
        return 'on';
      case 'sleep':
        await changed.within(Math.min(next.untilMs - clock(), LONGEST_SLEEP_MS), signal);
        return 'on';
      case 'perform':
        return performed(state, next.current);
      case 'wait':
        if (next.for === 'approval') return answered(next);
        await changed.within(LONGEST_SLEEP_MS, signal);
        return 'on';
    }
  }

  async function performed(state: RunState, current: CurrentStep): Promise<'on'> {
    const ending = AbortSignal.any([signal, changed.ended]);
    const result = await performing({
      ...{ run: state, current, plan, append, signal: ending },
      isTakenOver: taken === placeOf(current) || current.calls.length > 0,
    });
    if (ending.aborted) return 'on';
    if (result !== null) {
      superseded = 0;
      await append([eventOfResult(plan, state, current, { result, atMs: clock() })]);
      return 'on';
    }
    // Another runner performs the step, so its events will arrive. If none arrives, no runner performs it.
    superseded += 1;
    if (superseded < MOST_SUPERSEDED) {
      await changed.within(SUPERSEDED_MS, signal);
      return 'on';
    }
    const reason = 'The action of the step, or of a call in it, was decided before and is over.';
    await append([failed(current, { code: 'DUPLICATE_ACTION', reason, retryable: false })]);
    return 'on';
  }

  async function performing(work: Parameters<PerformStep>[0]): ReturnType<PerformStep> {
    try {
      return await driving.perform(work);
    } finally {
      underWay.clear();
      holding.setBusy(false);
    }
  }

  /** Waits for the answer of a person until the time limit for the answer. */
  async function answered({ deferred, untilMs }: Extract<NextOfRun, { for: 'approval' }>): Promise<'on'> {
    const until = AbortSignal.any([signal, changed.next()]);
    const withinMs = untilMs === null ? Number.POSITIVE_INFINITY : untilMs - clock();
    const answer = await driving.awaitAnswer(booked.tenant, deferred.waiting, { withinMs, signal: until });
    if (until.aborted) return 'on';
    const isLate = untilMs !== null && clock() >= untilMs;
    if (answer !== null || isLate) await append([eventOfAnswer(plan, deferred, answer ?? 'late')]);
    return 'on';
  }

  /** Until the group has confirmed that this process holds the run, only answers of calls are appended. */
  async function append(drafts: readonly EventDraft[]): Promise<void> {
    if (drafts.some(({ event }) => event !== 'call.completed')) await holding.untilHeld();
    signal.throwIfAborted();
    const { tenant, runId } = booked;
    const at = wireTime(clock());
    await runs.append(
      tenant,
      runId,
      drafts.map((draft) => ({ ...draft, runId, tenant, at }) as RunEvent),
    );
    for (const draft of drafts) {
      if (draft.event === 'call.begun') underWay.add(draft.actionId);
      if (draft.event === 'call.completed') underWay.delete(draft.actionId);
    }
    holding.setBusy(underWay.size > 0);
  }
}

function placeOf({ step, visit, attempt }: { step: string; visit: number; attempt: number }): string {
  return JSON.stringify([step, visit, attempt]);
}

function failed(
  { step, visit, attempt }: Pick<CurrentStep, 'step' | 'visit' | 'attempt'>,
  failure: Omit<Failure, 'retryAfterMs'>,
): EventDraft {
  return { event: 'step.failed', step, visit, attempt, ...failure, retryAfterMs: null };
}

/** Informs the driver of events of its run that others appended. */
function changesOf(booked: BookedRun, { runs }: Driving) {
  const ended = new AbortController();
  let next = new AbortController();
  const stop = runs.book.listen((run) => {
    if (run !== booked) return;
    next.abort();
    next = new AbortController();
    if (run.status !== 'running') ended.abort(new RunEnded(run.runId));
  });
  return {
    stop,
    /** Aborts when the run ends, for example because a person cancelled it. */
    ended: ended.signal,
    /** Aborts at the next event of the run. */
    next: () => next.signal,
    /** Resolves at the next event, or after this time. */
    within(ms: number, signal: AbortSignal): Promise<void> {
      const until = AbortSignal.any([signal, next.signal]);
      if (until.aborted || ms <= 0) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = setTimeout(done, ms);
        until.addEventListener('abort', done, { once: true });
        function done() {
          clearTimeout(timer);
          until.removeEventListener('abort', done);
          resolve();
        }
      });
    },
  };
}

/** The reason of calls that are aborted because their run has ended. */
class RunEnded extends Error {
  constructor(runId: string) {
    super(`the run ${runId} has ended`);
    this.name = 'RunEnded';
  }
}
