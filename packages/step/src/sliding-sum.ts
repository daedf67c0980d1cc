/**
 * Sums the amount charged in the last `windowMs`, in buckets. A bucket counts until its last millisecond is
 * `windowMs` old. So the sum is never lower than in any true window, and memory is limited.
 *
 * A credit gives back only earlier charges, never later charges. After a charge has left the window, its credit must
 * not leave additional room. So the sum is computed from the oldest bucket to the newest, and never falls below zero.
 */
import { BUDGET_BUCKETS } from '@mandate/schemas/core';

export type SlidingSum = {
  readonly windowMs: number;
  /**
   * Bucket numbers in ascending order. `amounts` contains their amounts at the same indexes, in the unit of the counter.
   * Buckets before `head` have left the window.
   */
  buckets: number[];
  amounts: number[];
  head: number;
  /** The sum of all buckets from `head` on. Not negative. */
  sum: number;
  /** The number of negative buckets. While it is 0, the sum is updated by addition alone. */
  credits: number;
};

export function createSlidingSum(windowMs: number): SlidingSum {
  return { windowMs, buckets: [], amounts: [], head: 0, sum: 0, credits: 0 };
}

/** Returns the time at which a charge made at `atMs` stops counting. */
export function leavesAtMs(windowMs: number, atMs: number): number {
  return bucketEndsAtMs(windowMs, bucketOf(windowMs, atMs));
}

/** Removes the buckets that have left the window by `nowMs`, and returns the sum. */
export function slidingSum(sum: SlidingSum, nowMs: number): number {
  const { head, credits } = sum;
  let bucket = sum.buckets[sum.head];
  while (bucket !== undefined && bucketEndsAtMs(sum.windowMs, bucket) <= nowMs) {
    const amount = sum.amounts[sum.head] ?? 0;
    sum.sum -= amount;
    if (amount < 0) sum.credits -= 1;
    sum.head += 1;
    bucket = sum.buckets[sum.head];
  }
  if (credits > 0 && sum.head > head) sum.sum = sumUp(sum);
  if (sum.head * 2 > sum.buckets.length) {
    sum.buckets = sum.buckets.slice(sum.head);
    sum.amounts = sum.amounts.slice(sum.head);
    sum.head = 0;
  }
  return sum.sum;
}

/** Adds an amount to the bucket of `atMs`, unless that bucket has already left the window. */
export function addToSlidingSum(sum: SlidingSum, atMs: number, delta: number, nowMs: number): void {
  slidingSum(sum, nowMs);
  const bucket = bucketOf(sum.windowMs, atMs);
  if (bucketEndsAtMs(sum.windowMs, bucket) <= nowMs) return;
  const place = placeOf(sum, bucket);
  if (sum.buckets[place] !== bucket) {
    sum.buckets.splice(place, 0, bucket);
    sum.amounts.splice(place, 0, 0);
  }
  const before = sum.amounts[place] ?? 0;
  const after = before + delta;
  sum.amounts[place] = after;
  sum.credits += Number(after < 0) - Number(before < 0);
  sum.sum = before < 0 || sum.credits > 0 ? sumUp(sum) : sum.sum + delta;
}

/** Returns the amount in the bucket of `atMs`. Negative if more was given back than charged. */
export function amountAt(sum: SlidingSum, atMs: number): number {
  const bucket = bucketOf(sum.windowMs, atMs);
  const place = placeOf(sum, bucket);
  return sum.buckets[place] === bucket ? (sum.amounts[place] ?? 0) : 0;
}

/**
 * Returns the shortest wait after which the sum is at most `room`, if nothing else happens. The buckets are
 * added up from the newest to the oldest. If the sum of the newest buckets is too large, the last added bucket must
 * leave the window first. The wait ends then. `room` is not negative, so an empty window always suffices.
 */
export function waitForRoom(sum: SlidingSum, room: number, nowMs: number): number {
  slidingSum(sum, nowMs);
  let last = 0;
  for (let place = sum.buckets.length - 1; place >= sum.head; place -= 1) {
    last += sum.amounts[place] ?? 0;
    if (last > room) return bucketEndsAtMs(sum.windowMs, sum.buckets[place] ?? 0) - nowMs;
  }
  return 0;
}

/** Returns the bucket number and the amount of each bucket that still counts. */
export function slidingBuckets(sum: SlidingSum, nowMs: number): [bucket: number, amount: number][] {
  slidingSum(sum, nowMs);
  return sum.buckets
    .map((bucket, place): [number, number] => [bucket, sum.amounts[place] ?? 0])
    .slice(sum.head)
    .filter(([, amount]) => amount !== 0);
}

/** Returns a time within the bucket. A stored bucket is restored with this time. */
export function bucketStartMs(windowMs: number, bucket: number): number {
  return bucket * widthMs(windowMs);
}

function sumUp({ amounts, head }: SlidingSum): number {
  let running = 0;
  for (let place = head; place < amounts.length; place += 1) {
    running = Math.max(0, running + (amounts[place] ?? 0));
  }
  return running;
}

function widthMs(windowMs: number): number {
  return Math.max(1, Math.ceil(windowMs / BUDGET_BUCKETS));
}

function bucketOf(windowMs: number, atMs: number): number {
  return Math.floor(atMs / widthMs(windowMs));
}

function bucketEndsAtMs(windowMs: number, bucket: number): number {
  return (bucket + 1) * widthMs(windowMs) - 1 + windowMs;
}

/**
 * Returns the index of a bucket, or where to insert it. The search starts at the end, because the bucket is nearly
 * always the last one or a new one after it.
 */
function placeOf(sum: SlidingSum, bucket: number): number {
  let place = sum.buckets.length;
  while (place > sum.head && (sum.buckets[place - 1] ?? 0) >= bucket) place -= 1;
  return place;
}
