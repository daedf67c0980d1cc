import { expect, test } from 'vitest';
import { controlOf, NOW_MS } from './lint.fixture.ts';
import { lintAround, lintControl } from './lint-control.ts';

const POLICIES = [
  { id: 'pay', allowedTools: ['pay'] },
  { id: 'nothing', allowedTools: [] },
];
const inProduction = { field: 'context.environment', op: '==', value: 'production' };
const asAdmin = { field: 'action.principal.role', op: '==', value: 'admin' };
const ruleOf = (fields: object) => ({ id: 'r', policy: 'pay', ...fields });
const FILE_KEY = {
  ...{ id: 'kkkkkkkkkkk1', name: 'ci', tenant: 't', hash: 'a'.repeat(64) },
  ...{ scopes: ['publish' as const], agents: ['*'], createdAt: '2026-01-01T00:00:00.000Z', revokedAt: null },
};

type Documents = Parameters<typeof controlOf>[0];

function found(documents: Documents, fileKeys: Parameters<typeof lintAround>[3] = []) {
  const control = controlOf({ policies: POLICIES, ...documents });
  const linted = lintControl(control, NOW_MS, { fileKeys });
  return linted.findings.filter(({ code }) => code === 'RULE_GIVES_BY_CLAIM');
}

test.each([
  ['the context', inProduction, 'context.environment'],
  ['the role', asAdmin, 'action.principal.role'],
  [
    'one of several',
    { any: [asAdmin, { field: 'action.tool', op: '==', value: 'x' }] },
    'action.principal.role',
  ],
  ['what it leaves out', { field: 'context.test', op: 'exists', value: false }, 'context.test'],
])('warns about a rule that grants something because of a claim of the agent: %s', (_what, when, field) => {
  const rules = [ruleOf({ when })];
  const [finding] = found({ rules });
  expect(finding).toMatchObject({ severity: 'warning', rules: ['r'], policies: ['pay'] });
  expect(finding?.message).toContain(`(${field})`);
  const control = controlOf({ policies: POLICIES, rules });
  expect(lintAround(control, NOW_MS, { kind: 'rule', id: 'r' })).toContainEqual(finding);
});

test.each<[string, object]>([
  ['goes by the agent alone', { when: { field: 'agent.labels.tier', op: '==', value: 'gold' } }],
  ['asks about the action only', { when: { field: 'action.tool', op: '==', value: 'pay' } }],
  ['is in shadow', { when: inProduction, mode: 'shadow' }],
  ['is over', { when: inProduction, endsAt: '2026-01-01T00:00:00Z' }],
  ['names a missing policy', { when: inProduction, policy: 'gone' }],
  ['allows nothing', { when: inProduction, policy: 'nothing' }],
  ['matches no agent', { when: inProduction, agents: ['nobody'] }],
  [
    'asks that the key pins it',
    {
      when: { all: [inProduction, { field: 'action.pinned', op: 'contains', value: 'context.environment' }] },
    },
  ],
])('accepts a rule on a claim that %s', (_what, fields) => {
  expect(found({ rules: [ruleOf(fields)] })).toEqual([]);
});

test('accepts a rule on a claim if another rule always applies, because the rule on the claim then only restricts', () => {
  const rules = [ruleOf({ when: inProduction }), { id: 'all', policy: 'pay' }];
  expect(found({ rules })).toEqual([]);
  const ofSome = [ruleOf({ when: inProduction }), { id: 'all', policy: 'pay', agents: ['a'] }];
  expect(found({ rules: ofSome })).toEqual([]);
  expect(found({ rules: ofSome, agents: [{ id: 'a' }, { id: 'b' }] })[0]?.message).toContain('The agent "b"');
});

test('accepts a claim that every key of the agent pins', () => {
  const rules = [ruleOf({ when: inProduction })];
  const pinning = { ...FILE_KEY, pins: { context: { environment: 'production' } } };
  expect(found({ rules }, [pinning])).toEqual([]);
  expect(found({ rules }, [pinning, FILE_KEY])).toHaveLength(1);
  expect(found({ rules }, [{ ...pinning, agents: ['b*'] }])).toHaveLength(1);
  expect(found({ rules }, [pinning, { ...FILE_KEY, revokedAt: FILE_KEY.createdAt }])).toEqual([]);
  // A tenant that writes to its own topic uses no API key there, so no key pins the claim.
  expect(found({ rules, directTopic: true }, [pinning])).toHaveLength(1);
});
