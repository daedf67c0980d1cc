/**
 * The clock of local mode. It starts with the time of the system, and then measures the time that passes. So a change of
 * the system's clock, by a person or a daemon, moves no window, lease or validity.
 */
import { uptime as uptimeSeconds } from 'node:os';
import type { Clock } from '@mandate/runtime';

type Sources = {
  /** The clock of the system, which may jump. */
  wall: Clock;
  /** Counts milliseconds from any origin. It may stand still while the machine sleeps. */
  steady: () => number;
  /** Counts milliseconds since the machine was started, also while it sleeps. Slow to read. */
  uptime: () => number;
};

const SYSTEM: Sources = {
  wall: () => Date.now(),
  steady: () => performance.now(),
  uptime: () => uptimeSeconds() * 1_000,
};

/** If the clock of the system is ahead by more than this, the machine may have slept. */
const LOOK_AFTER_MS = 1_000;

export function steadyClock(sources: Partial<Sources> = {}): Clock {
  const { wall, steady, uptime } = { ...SYSTEM, ...sources };
  const start = { wallMs: wall(), steadyMs: steady(), uptimeMs: uptime() };
  let sleptMs = 0;
  /** The lead of the system clock when `uptime` was last read. */
  let lookedAtMs = 0;
  return () => {
    const passedMs = steady() - start.steadyMs;
    const aheadMs = wall() - start.wallMs - passedMs;
    if (aheadMs > lookedAtMs + LOOK_AFTER_MS) {
      lookedAtMs = aheadMs;
      // Both clocks have an error of some milliseconds, and the time must never run backwards.
      const missedMs = uptime() - start.uptimeMs - passedMs;
      if (missedMs > sleptMs + LOOK_AFTER_MS / 2) sleptMs = missedMs;
    }
    return Math.floor(start.wallMs + passedMs + sleptMs);
  };
}
