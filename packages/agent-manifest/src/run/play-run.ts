/**
 * Plays a run on a simulated clock: computes its state while a function performs the steps. `mandate run --mock` plays
 * a manifest in this way, and tests play scripts.
 */
import type { RunEvent, RunEventOf } from '@mandate/schemas';
import { eventOfResult, type StepResult } from './events-of-result.ts';
import { type EventDraft, eventOfAnswer, type NextOfRun, nextOfRun } from './next-of-run.ts';
import type { RunPlan } from './run-plan.ts';
import { applyEvent, type CurrentStep, type RunState, startedRun } from './run-state.ts';
import { takeOver } from './take-over.ts';

/** The result of a step. `crash`: the runner dies after the events, and another runner continues. */
export type PlayedStep = {
  events?: readonly EventDraft[];
  durationMs?: number;
  result: StepResult | 'crash' | { cancelled: string };
};

export type Players = {
  perform(current: CurrentStep, run: RunState): PlayedStep;
  /**
   * The answer of a person. Null: no person answers. Then the play ends, unless the step has a time limit and fails.
   */
  answer?(
    waiting: NextOfRun & { do: 'wait' },
    run: RunState,
  ): { events: readonly EventDraft[]; waitedMs?: number } | null;
  /** Is called with each event after the event was applied. */
  onEvent?(event: RunEvent): void;
};

/** A play ends after this many events. */
const MOST_EVENTS = 100_000;

/** Returns the state at the end, or when no person answers. */
export function playRun(plan: RunPlan, started: RunEventOf<'run.started'>, players: Players): RunState {
  const run = startedRun(started, plan.start);
  players.onEvent?.(started);
  return goOnPlaying(plan, run, players);
}

/** Continues a run after its last event. */
export function goOnPlaying(plan: RunPlan, run: RunState, players: Players): RunState {
  const { runId, tenant } = run.started;
  let nowMs = run.lastEventMs;
  let left = MOST_EVENTS;
  const append = (draft: EventDraft) => {
    const event = { ...draft, runId, tenant, at: new Date(nowMs).toISOString() } as RunEvent;
    left -= 1;
    if (!applyEvent(run, event, plan.absorb))
      throw new Error(`the event ${event.event} does not fit the state of the run`);
    players.onEvent?.(event);
  };
  while (left > 0) {
    const next = nextOfRun(plan, run, nowMs);
    if (next.do === 'end') return run;
    if (next.do === 'append') next.events.forEach(append);
    else if (next.do === 'sleep') nowMs = Math.max(nowMs, next.untilMs);
    else if (next.do === 'perform') {
      const { events = [], durationMs = 0, result } = players.perform(next.current, run);
      events.forEach(append);
      nowMs += durationMs;
      if (result === 'crash') {
        const taken = takeOver(run);
        if (taken !== null) append(taken);
      } else if ('cancelled' in result) {
        append({ event: 'run.cancelled', by: 'key:play', reason: result.cancelled });
      } else append(eventOfResult(plan, run, next.current, { result, atMs: nowMs }));
    } else {
      const answered = players.answer?.(next, run) ?? null;
      const untilMs = next.for === 'approval' ? next.untilMs : null;
      if (answered !== null) {
        nowMs += answered.waitedMs ?? 0;
        answered.events.forEach(append);
      } else if (next.for === 'approval' && untilMs !== null) {
        nowMs = Math.max(nowMs, untilMs);
        append(eventOfAnswer(plan, next.deferred, 'late'));
      } else return run;
    }
  }
  throw new Error(`the run has more than ${MOST_EVENTS} events`);
}
