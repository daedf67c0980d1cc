/** What a budget or a rate holds, counted from the log as docs/adr/0003 says it, by other means than the ledger's. */
import { BUDGET_BUCKETS } from '@mandate/schemas';

export type BudgetCounter = {
  readonly windowMs: number | null;
  /** Of all that counts, in micro-dollars. */
  micros: number;
  /** Ascending; of a window only. */
  readonly buckets: { bucket: number; micros: number }[];
  /** How many of them hold less than nothing. */
  credits: number;
};

export function createBudgetCounter(windowMs: number | null): BudgetCounter {
  return { windowMs, micros: 0, buckets: [], credits: 0 };
}

export function spentIn(counter: BudgetCounter, nowMs: number): number {
  leave(counter, nowMs);
  if (counter.credits === 0) return counter.micros;
  // What was given back is room for nothing that comes later.
  return counter.buckets.reduce((sum, { micros }) => Math.max(0, sum + micros), 0);
}

/** Adds to what was spent at `atMs`, unless that has left the window. */
export function spend(counter: BudgetCounter, atMs: number, micros: number, nowMs: number): void {
  const { windowMs, buckets } = counter;
  leave(counter, nowMs);
  if (windowMs !== null) {
    const bucket = Math.floor(atMs / widthMs(windowMs));
    if (leavesAtMs(windowMs, bucket) <= nowMs) return;
    const place = buckets.findLastIndex((each) => each.bucket <= bucket);
    const known = buckets[place];
    const before = known?.bucket === bucket ? known.micros : 0;
    if (known?.bucket === bucket) known.micros += micros;
    else buckets.splice(place + 1, 0, { bucket, micros });
    counter.credits += Number(before + micros < 0) - Number(before < 0);
  }
  counter.micros += micros;
}

function leave(counter: BudgetCounter, nowMs: number): void {
  const { windowMs, buckets } = counter;
  if (windowMs === null) return;
  for (let oldest = buckets[0]; oldest !== undefined; oldest = buckets[0]) {
    if (leavesAtMs(windowMs, oldest.bucket) > nowMs) return;
    counter.micros -= oldest.micros;
    counter.credits -= Number(oldest.micros < 0);
    buckets.shift();
  }
}

function widthMs(windowMs: number): number {
  return Math.max(1, Math.ceil(windowMs / BUDGET_BUCKETS));
}

/** When the whole of a bucket is as old as the window is long. */
function leavesAtMs(windowMs: number, bucket: number): number {
  return (bucket + 1) * widthMs(windowMs) - 1 + windowMs;
}

/** Times of calls, ascending; those before `head` have left the window. */
export type RateCounter = { readonly windowMs: number; times: number[]; head: number };

export function createRateCounter(windowMs: number): RateCounter {
  return { windowMs, times: [], head: 0 };
}

export function callsIn(rate: RateCounter, nowMs: number): number {
  while ((rate.times[rate.head] ?? nowMs) <= nowMs - rate.windowMs) rate.head += 1;
  if (rate.head > 1_000 && rate.head * 2 > rate.times.length) {
    rate.times = rate.times.slice(rate.head);
    rate.head = 0;
  }
  return rate.times.length - rate.head;
}

/** Takes back one call of that time. Answers false where none is in the window. */
export function leaveSlot(rate: RateCounter, atMs: number, nowMs: number): boolean {
  callsIn(rate, nowMs);
  const at = rate.times.indexOf(atMs, rate.head);
  if (at === -1) return false;
  rate.times.splice(at, 1);
  return true;
}
