import type { Spread } from '../row.ts';

/** Returns median and quartiles. For a single sample all three are equal. */
export function spreadOf(samples: readonly number[]): Spread {
  const sorted = samples.toSorted((a, b) => a - b);
  return { median: quantile(sorted, 0.5), lower: quantile(sorted, 0.25), upper: quantile(sorted, 0.75) };
}

/** Returns a percentile of ascending numbers, interpolated between neighbours. Throws if the list is empty. */
export function quantile(sorted: readonly number[], share: number): number {
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)];
  const above = sorted[Math.ceil(at)];
  if (below === undefined || above === undefined) throw new Error('nothing was measured');
  return below + (above - below) * (at - Math.floor(at));
}
