/**
 * A counter of one budget. It contains the amount that was charged, over an agent's life or in a sliding window. The
 * amount is in the unit of the counter, such as micro-dollars or tokens.
 */
import {
  addToSlidingSum,
  amountAt,
  createSlidingSum,
  leavesAtMs,
  type SlidingSum,
  slidingSum,
} from './sliding-sum.ts';

export type BudgetCounter = {
  /** The sum of a lifetime counter. */
  spent: number;
  /** The sum in the sliding window. Null for a lifetime counter. */
  readonly sliding: SlidingSum | null;
};

export function createBudgetCounter(windowMs: number | null): BudgetCounter {
  return { spent: 0, sliding: windowMs === null ? null : createSlidingSum(windowMs) };
}

export function spentIn({ sliding, spent }: BudgetCounter, nowMs: number): number {
  return sliding === null ? spent : slidingSum(sliding, nowMs);
}

/** Adds an amount that was charged at `atMs`. */
export function addToCounter(counter: BudgetCounter, atMs: number, delta: number, nowMs: number): void {
  if (counter.sliding === null) counter.spent += delta;
  else addToSlidingSum(counter.sliding, atMs, delta, nowMs);
}

/**
 * Returns the part of an amount that can be added at `atMs` while the counter stays within ±(2^53-1), and so exact.
 * The bucket of a window must stay exact too. Credits can make a bucket much lower than the sum.
 */
export function fittingIn(counter: BudgetCounter, atMs: number, delta: number, nowMs: number): number {
  const { sliding } = counter;
  const fits = within(spentIn(counter, nowMs), delta);
  return sliding === null ? fits : within(amountAt(sliding, atMs), fits);
}

function within(held: number, delta: number): number {
  const most = Number.MAX_SAFE_INTEGER - held;
  const least = -Number.MAX_SAFE_INTEGER - held;
  return Math.max(least, Math.min(most, delta));
}

/**
 * Returns the part of an excess that may be added to a counter, in addition to `delta` at the same time. An
 * excess may use only half of the exact range of the counter. The other half is kept for charges. So an extremely
 * high report never reduces a charge to a budget that agents share.
 */
export function excessIn(
  counter: BudgetCounter,
  atMs: number,
  { delta, excess }: { delta: number; excess: number },
  nowMs: number,
): number {
  const { sliding } = counter;
  const held = Math.max(spentIn(counter, nowMs), sliding === null ? 0 : amountAt(sliding, atMs));
  return Math.max(0, Math.min(excess, MOST_EXCESS - held - delta));
}

const MOST_EXCESS = Math.floor(Number.MAX_SAFE_INTEGER / 2);

/** True if a charge made at `atMs` still counts. */
export function stillCounts({ sliding }: BudgetCounter, atMs: number, nowMs: number): boolean {
  return sliding === null || leavesAtMs(sliding.windowMs, atMs) > nowMs;
}
