/** Timers of the code under simulation: in the place of `node:timers/promises`, and of the global ones. */
import type { Scheduler } from './scheduler.ts';

let scheduler: Scheduler | null = null;

/** From here on time is that of this scheduler. */
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
