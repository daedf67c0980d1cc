/** Tests the prediction of when a budget is exhausted, if spending continues at the rate of the period. */
import { expect, test } from 'vitest';
import { type BudgetRow, outlookOf } from './budgets.ts';

const DAY_MS = 86_400_000;
const now = { asOfMs: 1_000, periodMs: DAY_MS };

const budget = (given: Partial<BudgetRow>): BudgetRow => ({
  scope: 'agent',
  subject: 'a-1',
  budgetId: 'total',
  windowMs: null,
  limitMicros: 10_000_000,
  limitSeenAt: null,
  spentMicros: 7_500_000,
  burnedMicros: 5_000_000,
  ...given,
});

test('predicts from the spending of the period when a budget will be exhausted', () => {
  expect(outlookOf(budget({}), now)).toEqual({
    leftMicros: 2_500_000,
    usedPercent: 75,
    exhaustedAtMs: 1_000 + DAY_MS / 2,
  });
});

test('predicts no time of exhaustion for a budget without spending, and reports a spent budget as exhausted now', () => {
  expect(outlookOf(budget({ burnedMicros: 0 }), now).exhaustedAtMs).toBeNull();
  expect(outlookOf(budget({ burnedMicros: -5 }), now).exhaustedAtMs).toBeNull();
  expect(outlookOf(budget({ spentMicros: 10_000_001, burnedMicros: 0 }), now)).toEqual({
    leftMicros: -1,
    usedPercent: 100,
    exhaustedAtMs: 1_000,
  });
});

test('returns no projection for a budget without a limit, and reports a limit of 0 as fully used', () => {
  expect(outlookOf(budget({ limitMicros: null }), now)).toEqual({
    leftMicros: null,
    usedPercent: null,
    exhaustedAtMs: null,
  });
  expect(outlookOf(budget({ limitMicros: 0, spentMicros: 0 }), now)).toMatchObject({ usedPercent: 100 });
});

test('predicts no time of exhaustion if the window frees as much as the agents spend', () => {
  const daily = budget({ windowMs: DAY_MS, burnedMicros: 10_000_000 });
  expect(outlookOf(daily, now).exhaustedAtMs).toBeNull();
  expect(outlookOf({ ...daily, burnedMicros: 20_000_000 }, now).exhaustedAtMs).toBe(1_000 + DAY_MS / 8);
});
