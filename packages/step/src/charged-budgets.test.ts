import { expect, test } from 'vitest';
import { chargedCounters, isOwnBudget, moneyToCharge, releasedOf, totalOf } from './charged-budgets.ts';

const SHARED = { scope: 'tenant', subject: '', id: 'b', windowMs: null } as const;
const nameOf = (budget: object) => JSON.stringify(budget);

function charged(...limits: (number | null)[]) {
  const budgets = limits.map((maxMicros) => ({ ...SHARED, maxMicros }));
  return chargedCounters(moneyToCharge('a', budgets), ({ scope, subject, id, windowMs }) =>
    nameOf({ scope, subject, id, windowMs }),
  );
}

test.each<[string, (number | null)[], number | null]>([
  ['the first limit', [3, 5], 3],
  ['a later limit', [5, 3], 3],
  ['the only limit', [null, 5, null], 5],
  ['no limit', [null, null], null],
])('charges a counter only once, and finds its strictest limit: %s', (_, limits, most) => {
  expect(charged(...limits)).toMatchObject([
    { counter: nameOf(SHARED), most },
    { counter: nameOf(totalOf('a')), most: null },
  ]);
});

test("charges the agent's total even if no budget is listed", () => {
  expect(charged().map(({ counter }) => counter)).toEqual([nameOf(totalOf('a'))]);
});

test('distinguishes the budgets of one agent from shared budgets', () => {
  expect(isOwnBudget(releasedOf('a'), 'a')).toBe(true);
  expect(isOwnBudget(totalOf('a'), 'b')).toBe(false);
  expect(isOwnBudget(SHARED, 'a')).toBe(false);
});
