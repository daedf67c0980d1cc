/**
 * Code that needs the time gets a `Clock` as a parameter, so that tests and offline runs control the time. In
 * production only the ledger's clock decides.
 */

import { performance } from 'node:perf_hooks';

/** Returns the time: whole milliseconds since the Unix epoch. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/**
 * A jump of the wall clock. `stepMs` is the movement of the clock minus the time that really passed. It is negative
 * for a jump back.
 */
export type ClockJump = { kind: 'forward' | 'backward'; stepMs: number; fromMs: number; toMs: number };

/**
 * A clock that never runs backwards. After a jump back of `clock` it repeats its last time until `clock` has reached
 * that time again. So windows free their quota late and never early. It follows a jump forward, because that may
 * correct a clock that was slow. Such a jump may free the quota of one window too early.
 *
 * Each jump is reported to `onJump` once. `steady` distinguishes a jump forward from a long pause between two
 * readings: it counts milliseconds from any origin, and no person or daemon sets it. A jump forward is reported only
 * if `clock` is ahead of `steady` by more than `thresholdMs`, because time daemons make small corrections all the
 * time.
 */
export function monotonic(
  clock: Clock,
  options: { onJump?: (jump: ClockJump) => void; thresholdMs?: number; steady?: () => number } = {},
): Clock {
  const { onJump = () => {}, thresholdMs = 1_000, steady = () => performance.now() } = options;
  let rawMs = clock();
  let steadyMs = steady();
  let givenMs = rawMs;

  return () => {
    const nextRawMs = clock();
    const nextSteadyMs = steady();
    const stepMs = Math.round(nextRawMs - rawMs - (nextSteadyMs - steadyMs));
    if (nextRawMs < rawMs) onJump({ kind: 'backward', stepMs, fromMs: rawMs, toMs: nextRawMs });
    else if (stepMs > thresholdMs) onJump({ kind: 'forward', stepMs, fromMs: rawMs, toMs: nextRawMs });
    rawMs = nextRawMs;
    steadyMs = nextSteadyMs;
    givenMs = Math.max(givenMs, nextRawMs);
    return givenMs;
  };
}

/** A clock that only a test moves. `set` may move it back, as a real clock may jump back. */
export type ManualClock = Clock & { advance(byMs: number): void; set(toMs: number): void };

export function manualClock(startMs: number): ManualClock {
  let nowMs = startMs;
  return Object.assign(() => nowMs, {
    advance: (byMs: number) => {
      nowMs += byMs;
    },
    set: (toMs: number) => {
      nowMs = toMs;
    },
  });
}
