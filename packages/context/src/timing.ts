/** The clock and the timers of the builder, as a port, so that tests can simulate them. */

export type Timing = {
  /** A time in milliseconds that never goes back. */
  now(): number;
  /** Calls `run` after the time, unless the returned function is called before. */
  after(ms: number, run: () => void): () => void;
};

export const systemTiming: Timing = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
