import { quantile } from './spread.ts';
import { cpuSince } from './work.ts';

/**
 * How long single calls take that are over within microseconds: the clock is read around each, in nanoseconds, and what
 * reading it costs (some 50 ns) is part of every figure. Pauses of the collector and of the machine are in it, where they
 * fall on a call.
 */
export function eachAlone<T>(items: readonly T[], call: (item: T) => unknown) {
  const timesNanos = new Float64Array(items.length);
  const cpuBefore = process.cpuUsage();
  let kept: unknown = null;
  for (let at = 0; at < items.length; at += 1) {
    const start = process.hrtime.bigint();
    kept = call(items[at] as T);
    timesNanos[at] = Number(process.hrtime.bigint() - start);
  }
  if (kept === null) throw new Error('nothing was measured');
  const cpuMicros = cpuSince(cpuBefore) / items.length;
  return { p99Micros: quantile([...timesNanos.sort()], 0.99) / 1_000, cpuMicros };
}
