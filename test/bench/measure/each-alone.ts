import { quantile } from './spread.ts';
import { cpuSince } from './work.ts';

/**
 * Measures single calls that end within microseconds. The clock is read around each call, in nanoseconds. Reading the
 * clock costs about 50 ns, which each figure includes. A figure also includes a pause of the garbage collector or of
 * the machine during the call.
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
