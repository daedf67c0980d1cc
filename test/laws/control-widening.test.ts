/**
 * Tests that a wider change is always reported. If a change has no report, it must allow a registered agent nothing
 * that was refused before.
 */

import { foldControl, mandatesUnderControl } from '@mandate/control';
import { controlWidening } from '@mandate/control/lint';
import { planInForce } from '@mandate/policy';
import { controlRecord, type Plan } from '@mandate/schemas';
import { hits, runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { START_MS } from '../decider-in-a-box.ts';
import { rule as anyRule, calls, MOMENTS } from './arbitrary-rules.ts';

vi.setConfig({ testTimeout: 60_000 });

type Body = { event: string; [field: string]: unknown };

const change = { tenant: 'default', by: 'ann', reason: '', at: '2026-03-01T12:00:00.000Z' };

function foldOf(bodies: readonly Body[]) {
  const fold = foldControl();
  let revision = 0;
  const apply = (body: Body) => {
    revision += 1;
    const record = controlRecord.parse({ ...body, change: { id: `chg-${revision}`, ...change } });
    return { record, changed: fold.apply(record, revision) };
  };
  for (const body of bodies) apply(body);
  const widens = (body: Body) => {
    const record = controlRecord.parse({ ...body, change: { id: 'next', ...change } });
    return controlWidening(fold.tenant('default'), record, START_MS);
  };
  return { fold, apply, widens, mandates: mandatesUnderControl(fold, () => revision) };
}

const sometimes = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const policy = fc
  .record({
    id: fc.constantFrom('p', 'q'),
    allowedTools: sometimes(fc.subarray(['x', 'x*', 'send'])),
    deniedTools: sometimes(fc.constantFrom(['send'], ['x*'])),
    mode: sometimes(fc.constant('observe')),
  })
  .map((fields) => ({ version: 1, ...fields }));

const rule = fc
  .tuple(anyRule, fc.constantFrom('p', 'p', 'q', 'p@1', 'p@2', 'q@1'), fc.nat(9))
  .map(([fields, named, kind]) => ({
    ...fields,
    version: 1,
    policy: named,
    ...(kind === 0 && { when: { field: 'agent.labels.team', op: '==', value: 'x' } }),
    ...(kind === 1 && { when: { field: 'agent.name', op: 'exists', value: false } }),
    ...(kind === 2 && { when: { not: [{ field: 'agent.parent', op: 'exists' }] } }),
  }));

const agent = fc.record({
  id: fc.constant('agent-1'),
  name: sometimes(fc.constant('one')),
  groups: fc.subarray(['g', 'h']),
  labels: fc.record({ team: fc.constantFrom('x', 'y'), tier: fc.nat(1) }, { requiredKeys: [] }),
  parent: sometimes(fc.constantFrom('agent-2', 'agent-3')),
  requiresGrant: fc.constantFrom(undefined, undefined, undefined, undefined, true),
});

const others = [
  { id: 'agent-2', groups: ['g', 'h'], labels: { team: 'x' } },
  { id: 'agent-3', groups: ['h'], labels: {} },
];

const world = fc
  .tuple(
    agent,
    fc.array(policy, { maxLength: 4 }),
    fc.uniqueArray(rule, { maxLength: 3, selector: ({ id }) => id }),
    fc.constantFrom(null, null, 'p', 'q'),
    fc.boolean(),
  )
  .map(([agent, policies, rules, archived, isRetired]): Body[] => [
    ...[...others, agent].map((agent) => ({ event: 'agent.put', agent })),
    ...policies.map((policy) => ({ event: 'policy.published', policy })),
    ...rules.map((rule) => ({ event: 'rule.put', rule })),
    ...(archived === null ? [] : [{ event: 'policy.archived', policyId: archived, forced: true }]),
    ...(isRetired && rules.length === 0 ? [{ event: 'agent.retired', agentId: 'agent-1' }] : []),
  ]);

/** Changes of existing documents in one or two fields. If more fields changed, nearly every change would be wider. */
const changes = fc.oneof(
  policy.map((policy) => ({ event: 'policy.published', policy })),
  fc
    .tuple(
      rule,
      fc.subarray(['policy', 'mode', 'agents', 'groups', 'when', 'startsAt', 'endsAt'], { maxLength: 2 }),
    )
    .map(([rule, names]) => ({ event: 'rule.put', rule, names })),
  fc.constantFrom('r', 's', 't').map((ruleId) => ({ event: 'rule.removed', ruleId })),
  fc
    .tuple(agent, fc.subarray(['name', 'groups', 'labels', 'parent', 'requiresGrant'], { maxLength: 1 }))
    .map(([agent, names]) => ({ event: 'agent.put', agent, names })),
);

/** Returns the current document with some fields replaced: the named fields of the new document. */
function near(bodies: readonly Body[], { names, ...drawn }: Body): Body {
  const of = drawn.event === 'rule.put' ? 'rule' : 'agent';
  if (names === undefined) return drawn;
  const wanted = drawn[of] as { id: string; [field: string]: unknown };
  const standing = bodies.findLast((body) => (body[of] as { id?: string } | undefined)?.id === wanted.id)?.[
    of
  ];
  const picked = Object.fromEntries((names as string[]).map((name) => [name, wanted[name]]));
  return { ...drawn, [of]: JSON.parse(JSON.stringify({ ...(standing ?? wanted), ...picked })) };
}

const letsThrough = ({ refusal, observe }: Plan) => refusal === null || observe;

test('a change without a report allows nothing that was refused before', () => {
  let [silent, wider] = [0, 0];
  const actions = fc.array(calls, { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(world, changes, actions, (bodies, drawn, actions) => {
      const { apply, widens, mandates } = foldOf(bodies);
      const body = near(bodies, drawn);
      const told = widens(body);
      const looks = actions.flatMap((action) => MOMENTS.map((atMs) => ({ action, atMs })));
      const passing = () =>
        looks.map(({ action, atMs }) => letsThrough(planInForce(mandates, 'default', action, atMs)));
      const before = passing();
      if (!apply(body).changed.ok) return;
      const isWider = passing().some((passes, at) => passes && !before[at]);
      if (isWider) wider += 1;
      if (told.length > 0) return;
      silent += 1;
      expect(isWider).toBe(false);
    }),
    { numRuns: runs(1_500) },
  );
  expect(Math.min(silent, wider), 'both came about').toBeGreaterThan(hits(100));
});

const RULE = { event: 'rule.put', rule: { version: 1, id: 'r', policy: 'p' } };
const P = { event: 'policy.published', policy: { version: 1, id: 'p' } };
const rulePut = (fields: object) => ({ ...RULE, rule: { ...RULE.rule, ...fields } });
const policyPut = (fields: object) => ({ ...P, policy: { ...P.policy, ...fields } });
const agentPut = (fields: object) => ({ event: 'agent.put', agent: { id: 'bot', ...fields } });
const tenantPut = (fields: object) => ({
  event: 'tenant.put',
  tenant: { version: 1, id: 'default', ...fields },
});
const ARRIVED = 'rules that blocked without this policy now give it: r';
const NOBODY = 'it no longer limits any agent';
const FIRST = 'it gives its policy to agents that no other rule matches';

test.each<[string, Body[], Body, readonly string[]]>([
  ['the same rule', [P, RULE], RULE, []],
  ['another order', [P, RULE], rulePut({ priority: 7 }), []],
  ['its mode becomes enforce', [P, rulePut({ mode: 'observe' })], RULE, []],
  [
    'its mode becomes observe',
    [P, RULE],
    rulePut({ mode: 'observe' }),
    ['mode: enforce → observe: its policy is no longer enforced'],
  ],
  ['its mode becomes shadow', [P, RULE], rulePut({ mode: 'shadow' }), [`mode: enforce → shadow: ${NOBODY}`]],
  [
    'its mode is no longer shadow',
    [P, rulePut({ mode: 'shadow' })],
    RULE,
    [`mode: shadow → enforce: ${FIRST}`],
  ],
  ['it is removed', [P, RULE], { event: 'rule.removed', ruleId: 'r' }, [`it is removed: ${NOBODY}`]],
  ['a shadow rule is removed', [P, rulePut({ mode: 'shadow' })], { event: 'rule.removed', ruleId: 'r' }, []],
  [
    'an ended rule is removed',
    [P, rulePut({ endsAt: '2020-01-01T00:00:00Z' })],
    { event: 'rule.removed', ruleId: 'r' },
    [],
  ],
  ['it is new', [P], RULE, [`it is new: ${FIRST}`]],
  ['it is new, and blocks', [], RULE, []],
  [
    'fewer agents',
    [P, rulePut({ agents: ['a*'] })],
    rulePut({ agents: ['ab'] }),
    ['agents: its policy limits fewer agents or actions'],
  ],
  [
    'more groups',
    [P, rulePut({ groups: ['g'] })],
    rulePut({ groups: ['g', 'h'] }),
    ['groups: more agents or actions get its policy'],
  ],
  [
    'other agents',
    [P, rulePut({ agents: ['a'] })],
    rulePut({ agents: ['b'] }),
    ['agents: its policy applies to other agents or actions'],
  ],
  ['all agents, by another pattern', [P, RULE], rulePut({ agents: ['*', 'ab'] }), []],
  [
    'it ends later',
    [P, rulePut({ endsAt: '2027-01-01T00:00:00Z' })],
    RULE,
    ['endsAt: 2027-01-01T00:00:00Z → none'],
  ],
  ['the latest version by number', [P, RULE], rulePut({ policy: 'p@1' }), []],
  ['a version that does not exist', [P, RULE], rulePut({ policy: 'p@2' }), []],
  [
    'an earlier version',
    [policyPut({ maxCostTotal: 5 }), policyPut({ maxCostTotal: 4 }), RULE],
    rulePut({ policy: 'p@1' }),
    ['policy: p → p@1: maxCostTotal: 4 → 5'],
  ],
  [
    'another policy',
    [P, RULE, policyPut({ id: 'q' })],
    rulePut({ policy: 'q' }),
    ['policy: p → q: another, which may let more through'],
  ],
  [
    'a policy in place of a missing one',
    [P, rulePut({ policy: 'q' })],
    RULE,
    ['policy: q → p: the rule blocked, because its policy did not exist'],
  ],
  ['a policy that a rule waits for', [RULE], P, [ARRIVED]],
  ['a version that a rule waits for', [P, rulePut({ policy: 'p@2' })], P, [ARRIVED]],
  ['a version that no rule waits for', [P, RULE], P, []],
  [
    'a policy that was archived',
    [P, RULE, { event: 'policy.archived', policyId: 'p', forced: true }],
    P,
    [ARRIVED],
  ],
  ['groups that no rule names', [agentPut({ groups: ['a'] })], agentPut({ groups: ['b'] }), []],
  [
    'groups that rules name',
    [agentPut({ groups: ['a'] }), rulePut({ groups: ['a', 'b'] })],
    agentPut({ groups: ['b'] }),
    [
      'groups: - a: rules for this group no longer apply to the agent',
      'groups: + b: rules for this group may be the first that apply to the agent',
    ],
  ],
  [
    'labels',
    [
      agentPut({ labels: { tier: 1, constructor: 'x' } }),
      rulePut({ when: { field: 'agent.labels', op: 'exists' } }),
    ],
    agentPut({ labels: { tier: '1' } }),
    [
      'labels.tier: 1 → "1": other rules may apply to the agent',
      'labels.constructor: "x" → none: other rules may apply to the agent',
    ],
  ],
  [
    'a name that rules test',
    [agentPut({ name: 'one' }), rulePut({ when: { field: 'agent.name', op: '==', value: 'one' } })],
    agentPut({}),
    ['name: one → none: other rules may apply to the agent'],
  ],
  ['a name that no rule tests', [agentPut({ name: 'one' }), RULE], agentPut({}), []],
  ['a parent, for the first time', [agentPut({ id: 'a' }), agentPut({})], agentPut({ parent: 'a' }), []],
  [
    'no parent any more',
    [agentPut({ id: 'a' }), agentPut({ parent: 'a' })],
    agentPut({}),
    ['parent: a → none: other rules may apply to the agent'],
  ],
  [
    'no grant is required any more',
    [agentPut({ requiresGrant: true })],
    agentPut({}),
    ['requiresGrant: true → none: the agent and its descendants may act without a grant'],
  ],
  ['a grant becomes required', [agentPut({})], agentPut({ requiresGrant: true }), []],
  [
    'a retired agent is registered again',
    [agentPut({}), { event: 'agent.retired', agentId: 'bot' }],
    agentPut({}),
    ['it was retired: rules apply again to it and its descendants'],
  ],
  ['the first tenant limits', [tenantPut({})], tenantPut({ limits: { maxCostTotal: 5 } }), []],
  [
    'weaker tenant limits',
    [tenantPut({ limits: { maxCostTotal: 5 } })],
    tenantPut({ limits: { maxCostTotal: 6 } }),
    ['maxCostTotal: 5 → 6'],
  ],
  ['no tenant limits', [tenantPut({ limits: { maxCostTotal: 5 } })], tenantPut({}), ['limits: gone']],
  [
    'a closed tenant is opened',
    [tenantPut({}), { event: 'tenant.closed' }],
    tenantPut({}),
    ['it was closed: nothing was allowed in it'],
  ],
])('%s', (_, bodies, body, told) => {
  const { widens, apply } = foldOf(bodies);
  expect(widens(body)).toEqual(told);
  expect(apply(body).changed.ok).toBe(true);
});
