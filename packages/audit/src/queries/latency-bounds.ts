/**
 * Bounds for the latency of a decision: the time from its request on the log to the decision. All tables of latency
 * counts share them, so a percentile from these counts equals a percentile from single decisions rounded the same
 * way.
 *
 * A latency is rounded up to the next bound. So an answer means "at most this long", and is too high by less than two
 * thirds. A latency above the last bound counts at the last bound. A negative latency, which differing clocks can
 * cause, counts as 0.
 */

/** 0, then 1, 1.5, 2, 3, 5 and 7 of every power of ten in whole milliseconds, up to 11.5 days. */
export const LATENCY_BOUNDS_MS: readonly number[] = [
  0,
  ...Array.from({ length: 9 }, (_, power) => [1, 1.5, 2, 3, 5, 7].map((step) => step * 10 ** power)).flat(),
  10 ** 9,
].filter(Number.isInteger);

const BOUNDS = `[${LATENCY_BOUNDS_MS.join(', ')}]`;

/** SQL that turns one latency in milliseconds into counts by bound. The last count is 1, and all others are 0. */
export function latenciesOfOne(latencyMs: string): string {
  return `arrayPushBack(arrayWithConstant(${placeOf(latencyMs)} - 1, toUInt64(0)), toUInt64(1))`;
}

/** SQL for the index of the bound for a latency, rounded up. ClickHouse has only a function that rounds down. */
function placeOf(latencyMs: string): string {
  const longestFirst = LATENCY_BOUNDS_MS.map((bound) => -bound).reverse();
  return `indexOf(${BOUNDS}, -roundDown(-greatest(0, ${latencyMs}), [${longestFirst.join(', ')}]))`;
}

/** SQL for the array of bounds that belongs to an array of counts. */
export function boundsOf(counts: string): string {
  return `arraySlice(${BOUNDS}, 1, length(${counts}))`;
}

/** SQL that does the same as the function `percentile`, from counts by bound. */
export function percentileOf(counts: string, share: number): string {
  return `if(arraySum(${counts}) = 0, NULL, arrayFirst(
      (bound, passed) -> passed >= ceil(arraySum(${counts}) * ${share}), ${boundsOf(counts)}, arrayCumSum(${counts})))`;
}

/**
 * Returns the smallest bound that at least this share of the calls did not exceed. Null if there are no calls. Uses
 * the nearest rank, as quantileExactWeighted of ClickHouse does.
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
