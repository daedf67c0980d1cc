/**
 * Counts calls in a sliding window. The times of all calls are stored, so the count is exact. A call counts while it
 * is younger than `windowMs`.
 */

import type { RateLimit } from '@mandate/schemas';

/** The calls of an agent: all its calls, or its calls of one tool. */
export type RateReference = Pick<RateLimit, 'agentId' | 'tool' | 'windowMs'>;

export type SlidingRate = Readonly<RateReference> & {
  /** Times of calls in ascending order. Times before index `head` have left the window. */
  times: number[];
  head: number;
};

export function createSlidingRate({ agentId, tool, windowMs }: RateReference): SlidingRate {
  return { agentId, tool, windowMs, times: [], head: 0 };
}

/** Removes the calls that have left the window by `nowMs`, and returns the number of calls in it. */
export function callsIn(rate: SlidingRate, nowMs: number): number {
  const leftAtMs = nowMs - rate.windowMs;
  let oldest = rate.times[rate.head];
  while (oldest !== undefined && oldest <= leftAtMs) {
    rate.head += 1;
    oldest = rate.times[rate.head];
  }
  // The list is copied only when more than half of its calls have left the window. So each copy moves fewer calls
  // than have left.
  if (rate.head * 2 > rate.times.length) {
    rate.times = rate.times.slice(rate.head);
    rate.head = 0;
  }
  return rate.times.length - rate.head;
}

/** Counts a call at `atMs`. A call that has already left the window by `nowMs` is ignored. */
export function takeSlot(rate: SlidingRate, atMs: number, nowMs: number): void {
  callsIn(rate, nowMs);
  if (atMs <= nowMs - rate.windowMs) return;
  let place = rate.times.length;
  while (place > rate.head && (rate.times[place - 1] ?? 0) > atMs) place -= 1;
  // A first call gets a new array. A push onto an empty array would reserve memory for many calls, and most agents
  // make few.
  if (rate.times.length === 0) rate.times = [atMs];
  else if (place === rate.times.length) rate.times.push(atMs);
  else rate.times.splice(place, 0, atMs);
}

/** Removes one call of the time `atMs` from the count. Returns false if the window contains no call of that time. */
export function releaseSlot(rate: SlidingRate, atMs: number, nowMs: number): boolean {
  callsIn(rate, nowMs);
  const place = rate.times.indexOf(atMs, rate.head);
  if (place === -1) return false;
  rate.times.splice(place, 1);
  return true;
}

/**
 * Returns the wait in ms until fewer than `maxCalls` (at least 1) calls are in the window. The window must now
 * contain at least `maxCalls` calls.
 */
export function waitForSlot(rate: SlidingRate, maxCalls: number, nowMs: number): number {
  const calls = callsIn(rate, nowMs);
  const lastToLeave = rate.times[rate.head + calls - maxCalls] ?? nowMs;
  return lastToLeave + rate.windowMs - nowMs;
}

export function slotTimes(rate: SlidingRate, nowMs: number): number[] {
  callsIn(rate, nowMs);
  return rate.times.slice(rate.head);
}
