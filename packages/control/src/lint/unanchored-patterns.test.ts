import { expect, test } from 'vitest';
import { found } from './lint.fixture.ts';

const ALLOWS = { id: 'p', allowedTools: ['get_*'] };
const matches = (value: string) => ({ field: 'action.args.environment', op: 'matches', value });

test.each<[string, object, boolean]>([
  ['without anchors', matches('prod'), true],
  ['anchored at one end', matches('^prod'), true],
  ['anchored at both ends', matches('^prod$'), false],
  ['among others', { all: [matches('^a$'), { any: [matches('b')] }] }, true],
  ['under not', { not: [matches('prod')] }, false],
  ['under not of not', { not: [{ not: [matches('prod')] }] }, true],
])('warns about a rule that allows something if a pattern %s matches', (_, when, isTold) => {
  const told = found({ policies: [ALLOWS], rules: [{ id: 'r', policy: 'p', when }] });
  expect(told).toEqual(isTold ? [{ code: 'PATTERN_UNANCHORED', rules: ['r'], policies: [] }] : []);
});

test('accepts any pattern for a policy that allows nothing', () => {
  const rules = [{ id: 'r', policy: 'p', when: matches('prod') }];
  expect(found({ policies: [{ id: 'p', allowedTools: [] }], rules })).toEqual([]);
});

test('reports only one thing about a rule that has ended: its end', () => {
  const rules = [{ id: 'r', policy: 'p', when: matches('prod'), endsAt: '2026-02-01T00:00:00Z' }];
  expect(found({ policies: [ALLOWS], rules }).map(({ code }) => code)).toEqual(['RULE_ENDED']);
});
