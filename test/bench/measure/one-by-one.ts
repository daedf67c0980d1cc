import type { Sample } from './compare.ts';
import { type Latencies, latenciesOf } from './latencies.ts';
import { cpuSince } from './work.ts';

/** Measures the calls one after the other, so no two calls run at the same time. */
export async function oneByOne<T>(
  items: readonly T[],
  call: (item: T) => Promise<unknown>,
): Promise<Sample<keyof Latencies>> {
  const timesMs: number[] = [];
  const cpuBefore = process.cpuUsage();
  for (const item of items) {
    const startMs = performance.now();
    await call(item);
    timesMs.push(performance.now() - startMs);
  }
  return { ...latenciesOf(timesMs), cpuMicros: cpuSince(cpuBefore) / items.length };
}
