import type { Sample } from './compare.ts';
import { type Latencies, latenciesOf } from './latencies.ts';
import { cpuSince } from './work.ts';

/** Measures each call while no other call is under way. */
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
