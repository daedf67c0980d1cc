/** An agent that is changed, of which nothing wider is told, is let through nothing that it was refused. */
import { agentWidening } from '@mandate/policy';
import { agentDocument, type Plan } from '@mandate/schemas';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { START_MS } from '../decider-in-a-box.ts';
import { calls, plansOf } from './arbitrary-rules.ts';

const POLICIES = [
  { id: 'p', allowedTools: ['x'], maxCostPerCall: 1 },
  { id: 'q', deniedTools: ['send'] },
];

const agent = fc.record(
  {
    id: fc.constant('agent-1'),
    name: fc.constantFrom('one', 'two'),
    groups: fc.subarray(['g', 'h']),
    labels: fc.record({ team: fc.constantFrom('x', 'y') }, { requiredKeys: [] }),
    parent: fc.constantFrom('agent-2', 'agent-3'),
  },
  { requiredKeys: ['id'] },
);

/** Of what an agent is alone: so they meet often. */
const rules = fc.uniqueArray(
  fc.record(
    {
      id: fc.constantFrom('r', 's', 't'),
      policy: fc.constantFrom('p', 'q'),
      groups: fc.constantFrom(['g'], ['h']),
      when: fc.constant({ field: 'agent.labels.team', op: '==', value: 'x' }),
    },
    { requiredKeys: ['id', 'policy'] },
  ),
  { minLength: 1, maxLength: 3, selector: ({ id }) => id },
);

const letsThrough = ({ refusal, observe }: Plan) => refusal === null || observe;

test('where nothing is told, nothing is let through that was refused', () => {
  let [silent, wider] = [0, 0];
  const actions = fc.array(
    calls.map((call) => ({ ...call, agentId: 'agent-1' })),
    { minLength: 8, maxLength: 8 },
  );
  const changes = fc
    .tuple(agent, agent, fc.constantFrom('name', 'groups', 'labels', 'parent'))
    .map(
      ([before, other, name]) => [before, { ...before, [name]: other[name as keyof typeof other] }] as const,
    );
  fc.assert(
    fc.property(changes, rules, actions, ([before, after], rules, actions) => {
      const above = [
        { id: 'agent-2', groups: ['g'] },
        { id: 'agent-3', groups: ['h'] },
      ];
      const [was, is] = [before, after].map((one) => plansOf(POLICIES, rules, [...above, one]));
      const widens = actions.some(
        (action) =>
          was !== undefined &&
          !letsThrough(was(action, START_MS)) &&
          is !== undefined &&
          letsThrough(is(action, START_MS)),
      );
      if (widens) wider += 1;
      if (agentWidening(agentDocument.parse(before), agentDocument.parse(after)).length > 0) return;
      silent += 1;
      expect(widens).toBe(false);
    }),
    { numRuns: 1_000 },
  );
  expect(Math.min(silent, wider), 'both came about').toBeGreaterThan(15);
});

test.each<[string, object, object, readonly string[]]>([
  ['nothing', { groups: ['a', 'b'] }, { groups: ['b', 'a'] }, []],
  ['its name', { name: 'x' }, { name: 'y' }, []],
  ['a parent, for the first time', {}, { parent: 'a' }, []],
  ['a parent that is gone', { parent: 'a' }, {}, ['parent: a → none']],
  ['other groups', { groups: ['a', 'b'] }, { groups: ['b', 'c'] }, ['groups: - a', 'groups: + c']],
  [
    'labels',
    { labels: { tier: 1, constructor: 'x' } },
    { labels: { tier: '1' } },
    ['labels.tier: 1 → "1"', 'labels.constructor: "x" → none'],
  ],
])('%s', (_, before, after, told) => {
  const of = (fields: object) => agentDocument.parse({ id: 'bot', ...fields });
  expect(agentWidening(of(before), of(after))).toEqual(told);
});
