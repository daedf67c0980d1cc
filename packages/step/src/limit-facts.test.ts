import { expect, test } from 'vitest';
import { addToCounter, createBudgetCounter } from './budget-counter.ts';
import { budgetFact, rateFact } from './limit-facts.ts';
import { createSlidingRate, takeSlot } from './sliding-rate.ts';

const NOW_MS = 10_000;
const LARGEST = Number.MAX_SAFE_INTEGER;

function counter(windowMs: number | null, spentMicros: number) {
  const made = createBudgetCounter(windowMs);
  addToCounter(made, NOW_MS, spentMicros, NOW_MS);
  return made;
}

test.each<[string, number | null, number, number | null, number, boolean, number | null]>([
  ['has room for exactly the remaining amount', null, 60, 100, 40, true, null],
  ['over a lifetime never gets room again', null, 61, 100, 40, false, null],
  ['has room again when its window has passed', 1_000, 61, 100, 40, false, 1_000],
  ['never has room for more than its limit', 1_000, 61, 100, 101, false, null],
  ['without a limit has room for any exact sum', 1_000, 61, null, LARGEST - 61, true, null],
  ['without a limit has no room for a sum that is not exact', 1_000, 61, null, LARGEST - 60, false, null],
])('a budget %s', (_, windowMs, spentMicros, maxMicros, reserveMicros, ok, retryAfterMs) => {
  const fact = budgetFact(counter(windowMs, spentMicros), { maxMicros }, reserveMicros, NOW_MS);
  expect(fact).toEqual({ kind: 'budget', spentMicros, ok, retryAfterMs });
});

test('treats a budget without a counter as unspent', () => {
  expect(budgetFact(undefined, { maxMicros: 0 }, 0, NOW_MS)).toMatchObject({ spentMicros: 0, ok: true });
});

test.each<[number, boolean, number | null]>([
  [3, true, null],
  [2, false, 998],
  [1, false, 1_000],
  [0, false, null],
])('checks a rate of %i calls with two calls in the window', (maxCalls, ok, retryAfterMs) => {
  const rate = createSlidingRate({ agentId: 'a', tool: null, windowMs: 1_000 });
  takeSlot(rate, NOW_MS - 2, NOW_MS);
  takeSlot(rate, NOW_MS, NOW_MS);
  expect(rateFact(rate, { maxCalls }, NOW_MS)).toEqual({ kind: 'rate', calls: 2, ok, retryAfterMs });
});
