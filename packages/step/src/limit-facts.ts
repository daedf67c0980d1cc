/**
 * Returns facts about a limit: the value of its counter, whether one more call fits, and the wait until the call
 * would fit. Nothing is charged here.
 */
import type { BudgetLimit, Limit, LimitFact, Plan, RateLimit, UnitLimit } from '@mandate/schemas';
import type { CounterUnit } from '@mandate/schemas/core';
import { type BudgetCounter, spentIn } from './budget-counter.ts';
import { callsIn, type SlidingRate, waitForSlot } from './sliding-rate.ts';
import { waitForRoom } from './sliding-sum.ts';
import { turnFact } from './turn.ts';

type BudgetFact = Extract<LimitFact, { kind: 'budget' }>;
type UnitFact = Extract<LimitFact, { kind: CounterUnit }>;
type RateFact = Extract<LimitFact, { kind: 'rate' }>;

/**
 * Returns the most that a budget may have spent before a call that reserves this amount, in the unit of the budget.
 * Negative if the call alone exceeds the budget. Computed by subtraction, because a sum above 2^53-1 would not be exact.
 */
export function mostSpentBefore(most: number | null, reserve: number): number {
  return (most ?? Number.MAX_SAFE_INTEGER) - reserve;
}

/** Returns the maximum number of calls that a rate may have counted if one more call must still fit. */
export function mostCallsBefore(maxCalls: number): number {
  return maxCalls - 1;
}

/** @param counter undefined if nothing was charged to the counter yet */
export function budgetFact(
  counter: BudgetCounter | undefined,
  { maxMicros }: Pick<BudgetLimit, 'maxMicros'>,
  reserveMicros: number,
  nowMs: number,
): BudgetFact {
  const { spent, ok, retryAfterMs } = sumFact(counter, maxMicros, reserveMicros, nowMs);
  return { kind: 'budget', spentMicros: spent, ok, retryAfterMs };
}

/** @param counter undefined if nothing was charged to the counter yet */
export function unitFact(
  counter: BudgetCounter | undefined,
  { kind, most }: Pick<UnitLimit, 'kind' | 'most'>,
  reserve: number,
  nowMs: number,
): UnitFact {
  const { spent, ok, retryAfterMs } = sumFact(counter, most, reserve, nowMs);
  return { kind, used: spent, ok, retryAfterMs };
}

function sumFact(counter: BudgetCounter | undefined, most: number | null, reserve: number, nowMs: number) {
  const spent = counter === undefined ? 0 : spentIn(counter, nowMs);
  const mostBefore = mostSpentBefore(most, reserve);
  const ok = spent <= mostBefore;
  const sliding = ok || mostBefore < 0 || most === null ? null : (counter?.sliding ?? null);
  return { spent, ok, retryAfterMs: sliding === null ? null : waitForRoom(sliding, mostBefore, nowMs) };
}

/** @param rate undefined if the rate has counted no call yet */
export function rateFact(
  rate: SlidingRate | undefined,
  { maxCalls }: Pick<RateLimit, 'maxCalls'>,
  nowMs: number,
): RateFact {
  const calls = rate === undefined ? 0 : callsIn(rate, nowMs);
  const ok = calls <= mostCallsBefore(maxCalls);
  const frees = !ok && maxCalls > 0 && rate !== undefined;
  return { kind: 'rate', calls, ok, retryAfterMs: frees ? waitForSlot(rate, maxCalls, nowMs) : null };
}

/** Returns the fact about a limit if nothing is charged yet, no turn is open, and no person has answered. */
export function unspentFact(
  limit: Limit,
  { reserveMicros, units }: Pick<Plan, 'reserveMicros' | 'units'>,
  atMs: number,
): LimitFact {
  switch (limit.kind) {
    case 'budget':
      return budgetFact(undefined, limit, reserveMicros, atMs);
    case 'tokens':
    case 'toolCalls':
      return unitFact(undefined, limit, units?.[limit.kind]?.reserve ?? 0, atMs);
    case 'rate':
      return rateFact(undefined, limit, atMs);
    case 'turn':
      return turnFact(undefined, limit, atMs, false);
    case 'confirmation':
      return { kind: 'confirmation', ok: false, grant: 'none', waiting: 0 };
  }
}

/**
 * Returns the wait in ms until one more call fits into all failed counters. Null if it never fits into one of them.
 */
export function waitForAll(facts: readonly LimitFact[]): number | null {
  let waitMs = 0;
  for (const fact of facts) {
    if (fact.ok || fact.kind === 'confirmation' || fact.kind === 'turn') continue;
    if (fact.retryAfterMs === null) return null;
    waitMs = Math.max(waitMs, fact.retryAfterMs);
  }
  return waitMs;
}
