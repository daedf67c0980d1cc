/**
 * Returns facts about a limit: the value of its counter, whether one more call fits, and the wait until the call
 * would fit. Nothing is charged here.
 */
import type { BudgetLimit, LimitFact, RateLimit } from '@mandate/schemas';
import { type BudgetCounter, spentIn } from './budget-counter.ts';
import { callsIn, type SlidingRate, waitForSlot } from './sliding-rate.ts';
import { waitForRoom } from './sliding-sum.ts';

type BudgetFact = Extract<LimitFact, { kind: 'budget' }>;
type RateFact = Extract<LimitFact, { kind: 'rate' }>;

/**
 * Returns the most that a budget may have spent before a call that reserves this amount, in micro-dollars. Negative
 * if the call alone exceeds the budget. Computed by subtraction, because a sum above 2^53-1 would not be exact.
 */
export function mostSpentBefore(maxMicros: number | null, reserveMicros: number): number {
  return (maxMicros ?? Number.MAX_SAFE_INTEGER) - reserveMicros;
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
  const spentMicros = counter === undefined ? 0 : spentIn(counter, nowMs);
  const mostMicros = mostSpentBefore(maxMicros, reserveMicros);
  const ok = spentMicros <= mostMicros;
  const sliding = ok || mostMicros < 0 || maxMicros === null ? null : (counter?.sliding ?? null);
  const retryAfterMs = sliding === null ? null : waitForRoom(sliding, mostMicros, nowMs);
  return { kind: 'budget', spentMicros, ok, retryAfterMs };
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
