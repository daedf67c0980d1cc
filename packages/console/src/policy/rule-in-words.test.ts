import type { RuleDocument } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { agentsInWords, isFor, limitsInWords } from './rule-in-words.ts';

const rule = (fields: Partial<RuleDocument>): RuleDocument => ({
  ...{ version: 1, id: 'r', priority: 0, policy: 'p', mode: 'enforce' },
  ...fields,
});

test.each([
  [{}, 'every agent', []],
  [{ agents: ['bot-*'] }, 'agents bot-*', []],
  [{ groups: ['staff'] }, 'agents in the group staff', []],
  [{ agents: ['a', 'b'], groups: ['x', 'y'] }, 'agents a, b in the groups x, y', []],
  [{ mode: 'shadow' }, 'every agent', ['in shadow: never enforced']],
  [
    { when: { field: 'context.environment', op: '==', value: 'prod' } },
    'every agent',
    ['if context.environment is prod'],
  ],
  [
    {
      when: {
        all: [
          { field: 'action.tool', op: 'in', value: ['a', 'b'] },
          { any: [{ field: ['context', 'a.b'], op: 'exists', value: true }, { not: [] }] },
        ],
      },
      endsAt: '2027-01-01T00:00:00Z',
    },
    'every agent',
    ['if action.tool is one of a, b and (context.a.b exists or none of ())', 'until 2027-01-01T00:00:00Z'],
  ],
] satisfies [Partial<RuleDocument>, string, string[]][])(
  'says which agents a rule applies to: %j',
  (fields, agents, limits) => {
    expect([agentsInWords(rule(fields)), limitsInWords(rule(fields))]).toEqual([agents, limits]);
  },
);

test.each([
  [{}, 'a', true],
  [{ agents: ['bot-*'] }, 'bot-1', true],
  [{ agents: ['bot-*'] }, 'robot-1', false],
  [{ agents: ['*-b*t-*'] }, 'a-bt-b', true],
  [{ agents: ['a*a'] }, 'a', false],
  [{ groups: ['staff'] }, 'a', true],
  [{ groups: ['other'] }, 'a', false],
  [{ agents: ['b'], groups: ['staff'] }, 'a', false],
] satisfies [Partial<RuleDocument>, string, boolean][])(
  'finds the agents of a rule: %j, %s: %s',
  (fields, id, is) => {
    expect(isFor(rule(fields), { id, groups: ['staff'], labels: {} })).toBe(is);
  },
);
