/** Replaces `node:timers/promises` and the global timers, so that the simulated code uses virtual time. */
import type { Scheduler } from './scheduler.ts';

let scheduler: Scheduler | null = null;

/** Uses the time of this scheduler from now on. */
export function followTimeOf(given: Scheduler): void {
  scheduler = given;
}

function timeNow(): Scheduler {
  if (scheduler === null) throw new Error('no history is played');
  return scheduler;
}

export const setTimeout = async <T>(ms = 0, value?: T, options: { signal?: AbortSignal } = {}) => {
  await timeNow().sleep(timeNow().current, ms, options.signal);
  return value;
};

export const setImmediate = <T>(value?: T) => setTimeout(0, value);

export const virtualGlobals = {
  setTimeout: (run: () => void, ms = 0) => timeNow().after(ms, timeNow().current, run),
  clearTimeout: (cancel?: () => void) => cancel?.(),
  performanceNow: () => scheduler?.nowMs ?? 0,
};
