/**
 * Time arrives as data. Whoever needs the time takes a `Clock`, so that tests and offline runs hold it in their
 * hands. In production the ledger's clock is the only one that decides (docs: one step decides).
 */

import { performance } from 'node:perf_hooks';

/** Reads the time: whole milliseconds since the Unix epoch. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/**
 * A step of the wall clock that no passing of time explains. `stepMs` is signed: how far the clock moved beyond
 * (or behind) the time that really passed.
 */
export type ClockJump = { kind: 'forward' | 'backward'; stepMs: number; fromMs: number; toMs: number };

/**
 * A clock that never runs backwards. When `clock` steps back, the last time is given again until `clock` has
 * caught up: windows then free their quota late, never early. A step forward cannot be undone, since it may be
 * the correction of a clock that was behind: it is followed, and it may admit one more window's worth.
 *
 * Either step is reported to `onJump`, once. A step forward is told from mere silence between two readings by
 * `steady`, which counts passing milliseconds from any origin and is never set. `thresholdMs` is how far ahead
 * of it the clock may run before that counts as a jump; small corrections are everyday work of time daemons.
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

/** A clock that stands still until it is told otherwise. `set` may go backwards, as real clocks do. */
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
