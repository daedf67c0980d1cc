import { expect, test } from 'vitest';
import { optionsChanged } from './options.ts';

const budget = (maxCostTotal?: number) => (maxCostTotal === undefined ? {} : { maxCostTotal });
const visits = (mostVisits?: number) => (mostVisits === undefined ? {} : { mostVisits });

test.each([
  ['a removed budget', budget(5), budget(), 'removed', true],
  ['a higher budget', budget(5), budget(6), 'changed', true],
  ['a lower budget', budget(5), budget(4), 'changed', false],
  ['a new budget', budget(), budget(5), 'added', false],
  ['more visits than by default', visits(), visits(51), 'added', true],
  ['fewer visits than by default', visits(), visits(49), 'added', false],
  ['again the default of fewer visits', visits(49), visits(), 'removed', true],
  ['another model', { defaultModel: 'a' }, { defaultModel: 'b' }, 'changed', null],
])('%s', (_what, was, is, change, widens) => {
  const [name] = Object.keys({ ...was, ...is });
  expect(optionsChanged(was, is)).toEqual([
    { path: `options.${name}`, category: 'GOVERNANCE', change, widens },
  ]);
});

test('equal options are not a change', () => {
  expect(optionsChanged(budget(5), budget(5))).toEqual([]);
});
