import { type Action, actionRequested, agentDocument, ruleDocument } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { almostMatchingRules } from './almost-matching-rules.ts';
import { controlOf, NOW_MS } from './lint/lint.fixture.ts';

const agent = agentDocument.parse({ id: 'a', groups: ['g'] });
const isProduction = { field: 'context.environment', op: '==', value: 'production' };

function near(
  rules: object[],
  { context, plannedRules = [] }: { context?: object; plannedRules?: object[] } = {},
) {
  const requested = { id: 'x', agentId: 'a', type: 'tool_call', tool: 'pay', ...(context && { context }) };
  const { action } = actionRequested.parse({ event: 'action.requested', action: requested });
  const control = controlOf({ agents: [agent], policies: [{ id: 'p' }], rules });
  const documents = plannedRules.map((rule) => ruleDocument.parse({ version: 1, ...rule }));
  return almostMatchingRules(control, { agent, action: action as Action, atMs: NOW_MS, rules: documents });
}

const R = { id: 'r', policy: 'p' };

test.each<[string, object, object | undefined, string[]]>([
  ['one that holds', {}, undefined, []],
  ['of other agents', { agents: ['b*'], when: isProduction }, undefined, []],
  ['of other groups', { groups: ['h'], when: isProduction }, undefined, []],
  [
    'that begins later',
    { startsAt: '2027-01-01T00:00:00Z' },
    undefined,
    ['it begins at 2027-01-01T00:00:00Z'],
  ],
  ['that is over', { endsAt: '2026-01-01T00:00:00Z' }, undefined, ['it ended at 2026-01-01T00:00:00Z']],
  [
    'a field that is missing',
    { groups: ['g'], when: isProduction },
    undefined,
    ['context.environment is missing'],
  ],
  [
    'another value',
    { when: isProduction },
    { environment: 'dev' },
    ['context.environment is "dev", and not == "production"'],
  ],
  [
    'another type',
    { when: { ...isProduction, op: '>', value: 1 } },
    { environment: 'dev' },
    ['context.environment is "dev", to which > 1 does not apply'],
  ],
  [
    'what should be missing',
    { when: { field: 'action.tool', op: 'exists', value: false } },
    undefined,
    ['action.tool is present'],
  ],
  [
    'the first of several',
    {
      when: {
        all: [{ ...isProduction, field: 'action.tool', value: 'pay' }, { any: [isProduction] }, isProduction],
      },
    },
    undefined,
    ['none of its conditions under `any` is known to hold'],
  ],
  [
    'what is excluded',
    { when: { not: [{ field: 'action.tool', op: 'exists' }] } },
    undefined,
    ['one of its conditions under `not` holds, or is unknown'],
  ],
])('explains why a rule almost matches: %s', (_, rule, context, why) => {
  expect(near([{ ...R, ...rule }], { ...(context && { context }) })).toEqual(
    why.map((said) => ({ rule: 'r', mode: 'enforce', why: said })),
  );
});

test('explains which planned rules almost match, by their new conditions, and returns at most the first 20 rules', () => {
  expect(near([{ ...R, when: isProduction }], { plannedRules: [R] })).toEqual([]);
  expect(near([R], { plannedRules: [{ ...R, when: isProduction }] })).toMatchObject([
    { why: 'context.environment is missing' },
  ]);
  const many = Array.from({ length: 30 }, (_, at) => ({
    ...R,
    id: `r${at}`,
    priority: 30 - at,
    when: isProduction,
  }));
  expect(near(many).map(({ rule }) => rule)).toEqual(Array.from({ length: 20 }, (_, at) => `r${29 - at}`));
});
