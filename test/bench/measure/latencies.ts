import { quantile } from './spread.ts';

export type Latencies = { p50Ms: number; p99Ms: number };

/** @param timesMs in any order */
export function latenciesOf(timesMs: readonly number[]): Latencies {
  const sorted = timesMs.toSorted((a, b) => a - b);
  return { p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) };
}
