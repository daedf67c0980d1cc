/**
 * How long a decision took, from its request reaching the log to the decision, in steps that all keepers of such counts
 * share: a percentile from counts by step is then the same as one from the single decisions.
 *
 * A latency is rounded up to the next bound, so an answer says "at most so long", and is too high by less than two thirds. What is beyond
 * the last bound counts as that; what seems to be negative, as clocks differ, counts as 0.
 */

/** 0, then 1, 1.5, 2, 3, 5 and 7 of every power of ten in whole milliseconds, up to 11.5 days. */
export const LATENCY_BOUNDS_MS: readonly number[] = [
  0,
  ...Array.from({ length: 9 }, (_, power) => [1, 1.5, 2, 3, 5, 7].map((step) => step * 10 ** power)).flat(),
  10 ** 9,
].filter(Number.isInteger);

const BOUNDS = `[${LATENCY_BOUNDS_MS.join(', ')}]`;

/** SQL for a latency in milliseconds as counts by bound, of which the last one is 1. */
export function latenciesOfOne(latencyMs: string): string {
  return `arrayPushBack(arrayWithConstant(${placeOf(latencyMs)} - 1, toUInt64(0)), toUInt64(1))`;
}

/** ClickHouse only rounds down. */
function placeOf(latencyMs: string): string {
  const longestFirst = LATENCY_BOUNDS_MS.map((bound) => -bound).reverse();
  return `indexOf(${BOUNDS}, -roundDown(-greatest(0, ${latencyMs}), [${longestFirst.join(', ')}]))`;
}

/** SQL for the bounds of counts by bound. */
export function boundsOf(counts: string): string {
  return `arraySlice(${BOUNDS}, 1, length(${counts}))`;
}

/** SQL for `percentile`, of counts by bound. */
export function percentileOf(counts: string, share: number): string {
  return `if(arraySum(${counts}) = 0, NULL, arrayFirst(
      (bound, passed) -> passed >= ceil(arraySum(${counts}) * ${share}), ${boundsOf(counts)}, arrayCumSum(${counts})))`;
}

/**
 * The bound that at least this share of the calls did not exceed; null of no calls. By nearest rank, as ClickHouse's
 * quantileExactWeighted has it.
 */
export function percentile(
  counts: readonly { upToMs: number; calls: number }[],
  share: number,
): number | null {
  const rank = Math.ceil(counts.reduce((sum, { calls }) => sum + calls, 0) * share);
  let passed = 0;
  for (const { upToMs, calls } of counts) {
    passed += calls;
    if (passed >= rank) return upToMs;
  }
  return null;
}
