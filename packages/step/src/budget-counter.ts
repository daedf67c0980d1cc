/**
 * A counter of one budget. It contains the amount that was charged, in micro-dollars: over an agent's life, or in a
 * sliding window.
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
  /** The sum of a lifetime counter, in micro-dollars. */
  spentMicros: number;
  /** The sum in the sliding window. Null for a lifetime counter. */
  readonly sliding: SlidingSum | null;
};

export function createBudgetCounter(windowMs: number | null): BudgetCounter {
  return { spentMicros: 0, sliding: windowMs === null ? null : createSlidingSum(windowMs) };
}

export function spentIn({ sliding, spentMicros }: BudgetCounter, nowMs: number): number {
  return sliding === null ? spentMicros : slidingSum(sliding, nowMs);
}

/** Adds an amount that was charged at `atMs`. */
export function addToCounter(counter: BudgetCounter, atMs: number, deltaMicros: number, nowMs: number): void {
  if (counter.sliding === null) counter.spentMicros += deltaMicros;
  else addToSlidingSum(counter.sliding, atMs, deltaMicros, nowMs);
}

/**
 * Returns the part of an amount that can be added at `atMs` while the counter stays within ±(2^53-1), and so exact.
 * The bucket of a window must stay exact too. Credits can make a bucket much lower than the sum.
 */
export function fittingIn(counter: BudgetCounter, atMs: number, deltaMicros: number, nowMs: number): number {
  const { sliding } = counter;
  const spentMicros = spentIn(counter, nowMs);
  const fits = within(spentMicros, deltaMicros);
  return sliding === null ? fits : within(amountAt(sliding, atMs), fits);
}

function within(heldMicros: number, deltaMicros: number): number {
  const most = Number.MAX_SAFE_INTEGER - heldMicros;
  const least = -Number.MAX_SAFE_INTEGER - heldMicros;
  return Math.max(least, Math.min(most, deltaMicros));
}

/**
 * Returns the part of an excess that may be added to a counter, in addition to `deltaMicros` at the same time. An
 * excess may use only half of the exact range of the counter. The other half is kept for charges. So an extremely
 * high report never reduces a charge to a budget that agents share.
 */
export function excessIn(
  counter: BudgetCounter,
  atMs: number,
  { deltaMicros, excessMicros }: { deltaMicros: number; excessMicros: number },
  nowMs: number,
): number {
  const { sliding } = counter;
  const heldMicros = Math.max(spentIn(counter, nowMs), sliding === null ? 0 : amountAt(sliding, atMs));
  return Math.max(0, Math.min(excessMicros, MOST_EXCESS - heldMicros - deltaMicros));
}

const MOST_EXCESS = Math.floor(Number.MAX_SAFE_INTEGER / 2);

/** True if a charge made at `atMs` still counts. */
export function stillCounts({ sliding }: BudgetCounter, atMs: number, nowMs: number): boolean {
  return sliding === null || leavesAtMs(sliding.windowMs, atMs) > nowMs;
}
