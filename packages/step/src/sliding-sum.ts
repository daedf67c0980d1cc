/**
 * What was spent in the last `windowMs`, in buckets. A bucket counts until its last millisecond is `windowMs` old, so
 * that no true window ever holds more than the sum says, at a bounded memory.
 *
 * A credit gives back only what was spent before it, never what is to come: it must not outlive, as room for more, the
 * charge that it gave back. So the sum is taken from the oldest bucket to the newest, and never falls below zero.
 */
import { BUDGET_BUCKETS } from '@mandate/schemas/core';

export type SlidingSum = {
  readonly windowMs: number;
  /** Ascending bucket numbers and, at the same places, micro-dollars; those before `head` have left the window. */
  buckets: number[];
  amounts: number[];
  head: number;
  /** The sum of all buckets from `head` on; not negative. */
  sumMicros: number;
  /** How many of them are negative. While none is, the sum is kept by adding alone. */
  credits: number;
};

export function createSlidingSum(windowMs: number): SlidingSum {
  return { windowMs, buckets: [], amounts: [], head: 0, sumMicros: 0, credits: 0 };
}

/** The time from which a charge made at `atMs` no longer counts. */
export function leavesAtMs(windowMs: number, atMs: number): number {
  return bucketEndsAtMs(windowMs, bucketOf(windowMs, atMs));
}

/** Drops what has left the window by `nowMs`, then answers the sum. */
export function slidingSum(sum: SlidingSum, nowMs: number): number {
  const { head, credits } = sum;
  let bucket = sum.buckets[sum.head];
  while (bucket !== undefined && bucketEndsAtMs(sum.windowMs, bucket) <= nowMs) {
    const amountMicros = sum.amounts[sum.head] ?? 0;
    sum.sumMicros -= amountMicros;
    if (amountMicros < 0) sum.credits -= 1;
    sum.head += 1;
    bucket = sum.buckets[sum.head];
  }
  if (credits > 0 && sum.head > head) sum.sumMicros = sumUp(sum);
  if (sum.head * 2 > sum.buckets.length) {
    sum.buckets = sum.buckets.slice(sum.head);
    sum.amounts = sum.amounts.slice(sum.head);
    sum.head = 0;
  }
  return sum.sumMicros;
}

/** Adds to the bucket of `atMs`, unless that bucket has left the window already. */
export function addToSlidingSum(sum: SlidingSum, atMs: number, deltaMicros: number, nowMs: number): void {
  slidingSum(sum, nowMs);
  const bucket = bucketOf(sum.windowMs, atMs);
  if (bucketEndsAtMs(sum.windowMs, bucket) <= nowMs) return;
  const place = placeOf(sum, bucket);
  if (sum.buckets[place] !== bucket) {
    sum.buckets.splice(place, 0, bucket);
    sum.amounts.splice(place, 0, 0);
  }
  const beforeMicros = sum.amounts[place] ?? 0;
  const afterMicros = beforeMicros + deltaMicros;
  sum.amounts[place] = afterMicros;
  sum.credits += Number(afterMicros < 0) - Number(beforeMicros < 0);
  sum.sumMicros = beforeMicros < 0 || sum.credits > 0 ? sumUp(sum) : sum.sumMicros + deltaMicros;
}

/** What the bucket of `atMs` holds, in micro-dollars: negative where more was given back than spent. */
export function amountAt(sum: SlidingSum, atMs: number): number {
  const bucket = bucketOf(sum.windowMs, atMs);
  const place = placeOf(sum, bucket);
  return sum.buckets[place] === bucket ? (sum.amounts[place] ?? 0) : 0;
}

/**
 * The least wait after which the sum is at most `roomMicros` (not negative, so that an empty window always suffices),
 * if nothing else happens. A sum that never falls below zero is the greatest among those of the last one, two, three …
 * buckets: from the newest on, the first of these that is too much says which bucket has to leave.
 */
export function waitForRoom(sum: SlidingSum, roomMicros: number, nowMs: number): number {
  slidingSum(sum, nowMs);
  let lastMicros = 0;
  for (let place = sum.buckets.length - 1; place >= sum.head; place -= 1) {
    lastMicros += sum.amounts[place] ?? 0;
    if (lastMicros > roomMicros) return bucketEndsAtMs(sum.windowMs, sum.buckets[place] ?? 0) - nowMs;
  }
  return 0;
}

/** Bucket number and amount of each bucket that still counts. */
export function slidingBuckets(sum: SlidingSum, nowMs: number): [bucket: number, micros: number][] {
  slidingSum(sum, nowMs);
  return sum.buckets
    .map((bucket, place): [number, number] => [bucket, sum.amounts[place] ?? 0])
    .slice(sum.head)
    .filter(([, amountMicros]) => amountMicros !== 0);
}

/** Any time within the bucket: what brings a stored bucket back. */
export function bucketStartMs(windowMs: number, bucket: number): number {
  return bucket * widthMs(windowMs);
}

function sumUp({ amounts, head }: SlidingSum): number {
  let runningMicros = 0;
  for (let place = head; place < amounts.length; place += 1) {
    runningMicros = Math.max(0, runningMicros + (amounts[place] ?? 0));
  }
  return runningMicros;
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

/** Time runs forward, so that it is nearly always the last place or the one behind it. */
function placeOf(sum: SlidingSum, bucket: number): number {
  let place = sum.buckets.length;
  while (place > sum.head && (sum.buckets[place - 1] ?? 0) >= bucket) place -= 1;
  return place;
}
