import { expect, test } from 'vitest';
import { found } from './lint.fixture.ts';

const P = { id: 'p' };
const TOOL = { field: 'action.tool', op: '==', value: 'pay' };

test.each<[string, object[], boolean]>([
  ['one value', [TOOL], false],
  ['two values', [TOOL, { ...TOOL, value: 'buy' }], true],
  [
    'two values, one of which stands with dots',
    [TOOL, { ...TOOL, field: ['action', 'tool'], value: 'buy' }],
    true,
  ],
  [
    'one of several that another excludes',
    [
      { ...TOOL, op: 'in', value: ['a', 'b'] },
      { ...TOOL, op: 'starts_with', value: 'c' },
    ],
    true,
  ],
  ['a tool of an LLM call', [TOOL, { field: 'action.type', op: '==', value: 'llm_call' }], true],
  ['a model of a tool', [TOOL, { field: 'action.model', op: 'exists' }], true],
  ['no model of a tool', [TOOL, { field: 'action.model', op: 'exists', value: false }], false],
  [
    'what is not there, and something',
    [
      { field: 'action.tool', op: 'exists', value: false },
      { ...TOOL, op: '!=' },
    ],
    true,
  ],
  [
    'a number that is a text',
    [
      { field: 'action.args.n', op: '>', value: 1 },
      { field: 'action.args.n', op: 'matches', value: '^1$' },
    ],
    true,
  ],
  [
    'a number that differs from a text',
    [
      { field: 'action.args.n', op: '>', value: 1 },
      { field: 'action.args.n', op: '!=', value: 'x' },
    ],
    true,
  ],
  [
    'a number that is no text',
    [
      { field: 'action.args.n', op: '>', value: 1 },
      { not: [{ field: 'action.args.n', op: '==', value: 'x' }] },
    ],
    true,
  ],
  [
    'a boolean that differs from another',
    [
      { field: 'action.args.n', op: '!=', value: true },
      { field: 'action.args.n', op: 'not_in', value: [1, false, 'x'] },
    ],
    false,
  ],
  [
    'no number',
    [
      { field: 'action.args.n', op: '>', value: 1 },
      { field: 'action.args.n', op: '<=', value: 1 },
    ],
    true,
  ],
  [
    'a number',
    [
      { field: 'action.args.n', op: '>=', value: 1 },
      { field: 'action.args.n', op: '<=', value: 1 },
    ],
    false,
  ],
  [
    'two beginnings',
    [
      { ...TOOL, op: 'starts_with', value: 'ab' },
      { ...TOOL, op: 'starts_with', value: 'ac' },
    ],
    true,
  ],
  [
    'a longer beginning',
    [
      { ...TOOL, op: 'starts_with', value: 'ab' },
      { ...TOOL, op: 'starts_with', value: 'abc' },
    ],
    false,
  ],
  ['a choice of which none is left', [TOOL, { any: [{ ...TOOL, value: 'buy' }] }], true],
  [
    'a choice of which one is left',
    [
      TOOL,
      {
        any: [
          { ...TOOL, value: 'buy' },
          { field: 'action.tool', op: 'exists' },
        ],
      },
    ],
    false,
  ],
  ['no choice at all', [{ any: [] }], true],
])('finds conditions that no action meets, and accepts other conditions: %s', (_, all, never) => {
  const codes = found({ policies: [P], rules: [{ id: 'r', policy: 'p', when: { all } }] }).map(
    ({ code }) => code,
  );
  expect(codes).toEqual(never ? ['RULE_CONTRADICTS_ITSELF'] : []);
});

test.each<[string, object, object, string[]]>([
  ['the same, twice', {}, {}, ['s']],
  ['for fewer agents', {}, { agents: ['a'] }, ['s']],
  ['for agents of a pattern within another', { agents: ['a*'] }, { agents: ['a', 'ab*'] }, ['s']],
  ['for agents without', { agents: ['a*'] }, { agents: ['a', 'b'] }, []],
  ['for one group of two', { groups: ['g', 'h'] }, { groups: ['h'] }, ['s']],
  ['for one of its groups', { groups: ['g'] }, { groups: ['g', 'h'] }, ['r']],
  ['for other groups', { groups: ['g'] }, { groups: ['h'] }, []],
  [
    'when more is so',
    { when: TOOL },
    {
      when: {
        all: [
          { field: 'context.x', op: 'exists' },
          { ...TOOL, field: ['action', 'tool'] },
        ],
      },
    },
    ['s'],
  ],
  ['when something else is so', { when: TOOL }, { when: { ...TOOL, value: 'buy' } }, []],
  ['for a while', {}, { endsAt: '2027-01-01T00:00:00Z' }, ['s']],
  ['for longer', { endsAt: '2027-01-01T00:00:00Z' }, { agents: ['a'] }, []],
  ['only watching', {}, { mode: 'observe' }, ['s']],
  ['beside one that only watches', { mode: 'observe' }, {}, ['r']],
  ['in shadow beside one that only watches', { mode: 'observe' }, { mode: 'shadow' }, []],
  ['in shadow', {}, { mode: 'shadow', agents: ['a'] }, ['s']],
  ['of another policy', {}, { policy: 'q' }, []],
])('finds a rule that adds nothing to another rule of its policy: %s', (_, wide, narrow, told) => {
  const rules = [
    { id: 'r', policy: 'p', ...wide },
    { id: 's', policy: 'p', ...narrow },
  ];
  const all = found({
    agents: [
      { id: 'a', groups: ['h'] },
      { id: 'b', groups: ['g'] },
    ],
    policies: [P, { id: 'q' }],
    rules,
  });
  const adding = all.filter(({ code }) => code === 'RULE_ADDS_NOTHING');
  expect(adding.map(({ rules: [first] }) => first)).toEqual(told);
});
