import { expect, test } from 'vitest';
import { stepBudgetOfAction } from '../../step-budget.ts';
import { filterOutput, type OutputFilter } from './output-filter.ts';

function filter(
  type: string,
  start: number,
  end: number,
  action: OutputFilter['action'] = 'redact',
): OutputFilter {
  return { action, find: () => [{ type, start, end }] };
}

const filtered = (...filters: OutputFilter[]) => filterOutput('0123456789', filters, stepBudgetOfAction());

test('a text that one filter blocks has no redactions', () => {
  expect(filtered(filter('email', 0, 2), filter('phone', 4, 6, 'block'))).toEqual({ blocked: ['phone'] });
  expect(filtered(filter('phone', 4, 6, 'block'), filter('email', 0, 2))).toEqual({ blocked: ['phone'] });
});

test('an empty piece neither blocks nor redacts', () => {
  const nothing = { blocked: null, redactions: [] };
  expect(filtered(filter('email', 3, 3, 'block'), filter('email', 3, 3))).toEqual(nothing);
});

test('overlapping pieces become one, with the type of the first filter', () => {
  expect(filtered(filter('email', 2, 4), filter('phone', 0, 3))).toEqual({
    blocked: null,
    redactions: [{ type: 'email', start: 0, end: 4 }],
  });
  expect(filtered(filter('email', 0, 8), filter('phone', 2, 4))).toEqual({
    blocked: null,
    redactions: [{ type: 'email', start: 0, end: 8 }],
  });
});

test('pieces that only touch stay apart', () => {
  const redactions = [
    { type: 'email', start: 0, end: 3 },
    { type: 'phone', start: 3, end: 5 },
  ];
  expect(filtered(filter('email', 0, 3), filter('phone', 3, 5))).toEqual({ blocked: null, redactions });
});

test('gives no answer if the step budget is used up', () => {
  expect(filterOutput('abc', [filter('email', 0, 1)], { left: 3 })).not.toBeNull();
  expect(filterOutput('abc', [filter('email', 0, 1)], { left: 2 })).toBeNull();
  const expensive: OutputFilter = {
    action: 'redact',
    find: (_text, stepBudget) => {
      stepBudget.left = -1;
      return [];
    },
  };
  expect(filtered(expensive)).toBeNull();
});
