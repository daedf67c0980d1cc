/**
 * Tests that a sub-agent may never do more than any of its ancestors, and spends from the budgets of all its
 * ancestors (ADR 25).
 */

import { createFold, foldRecord } from '@mandate/ledger';
import { planInForce } from '@mandate/policy';
import {
  type Action,
  type DecisionsRecord,
  OPEN_CALLS,
  type Plan,
  readDecisionsHead,
  readDecisionsRecord,
  rulesThatGave,
} from '@mandate/schemas';
import { hits, runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { asking, type Box, deciderInABox, reporting, START_MS } from '../decider-in-a-box.ts';
import { arbitraryAction } from './arbitrary-requests.ts';
import { arbitraryAuthority, chainOf, type Register, registered } from './registered.ts';

// The timeout is long: a test takes a second or two, and more on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const CHAIN = ['lead', 'worker', 'hand'];
const AUTHORITY = arbitraryAuthority(CHAIN);

type Authority = Pick<Register, 'policies' | 'rules'>;

function plansOf(agents: readonly object[], authority: Authority) {
  const mandates = registered({ agents, ...authority });
  // This test is not about grants, so an action must not name one.
  return (agentId: string, { mandateId: _, ...action }: Action): Plan =>
    planInForce(mandates, 'default', { ...action, agentId }, START_MS);
}

const ALONE = CHAIN.map((id) => ({ id }));

/**
 * Returns the same policies and rules with one difference: agents may also use the tools that they may only delegate.
 */
function countingDelegable({ policies, rules }: Authority): Authority {
  return {
    rules,
    policies: policies.map((policy) => {
      const { allowedTools, delegableTools = [] } = policy as { [list: string]: string[] | undefined };
      return { ...policy, ...(allowedTools && { allowedTools: [...allowedTools, ...delegableTools] }) };
    }),
  };
}

const letsThrough = ({ refusal, observe }: Plan) => refusal === null || observe;

test('a descendant may do nothing that an ancestor may not do, what all may do is allowed, and every limit of each remains', () => {
  let [refused, allowed] = [0, 0];
  fc.assert(
    fc.property(AUTHORITY, arbitraryAction, (authority, action) => {
      const planOf = plansOf(chainOf(CHAIN), authority);
      const planAlone = plansOf(ALONE, authority);
      const planAbove = plansOf(ALONE, countingDelegable(authority));
      for (const [at, below] of CHAIN.entries()) {
        const plan = planOf(below, action);
        const above = CHAIN.slice(0, at).map((one) => planAbove(one, action));
        const alone = [...above, planAlone(below, action)];
        refused += alone.every(letsThrough) ? 0 : 1;
        allowed += letsThrough(plan) ? 1 : 0;
        if (letsThrough(plan)) expect(alone.every(letsThrough)).toBe(true);
        // The cost of a call is the highest price that a policy of the chain has. For another policy, this cost may
        // be too high or unknown. So this is checked only if all policies have the same price.
        const isOnePrice = new Set(alone.map(({ reserveMicros }) => reserveMicros)).size === 1;
        if (action.type === 'tool_call' && isOnePrice && alone.every(({ refusal }) => refusal === null))
          expect(plan.refusal).toBeNull();
        if (plan.mandate === null) continue;
        for (const limit of alone.flatMap(({ limits }) => limits))
          expect(plan.limits.filter((one) => isAsStrict(one, limit))).toHaveLength(1);
      }
    }),
    { numRuns: runs(100) },
  );
  expect(Math.min(refused, allowed), 'both came about').toBeGreaterThan(hits(30));
});

function isAsStrict(one: Plan['limits'][number], other: Plan['limits'][number]): boolean {
  if (one.kind === 'confirmation' || other.kind === 'confirmation') return one.kind === other.kind;
  if (one.kind === 'rate' && other.kind === 'rate') {
    // Each agent has its own limit of open calls. So agents with the same policy have limits that differ in
    // `agentId`.
    const but = other.tool === OPEN_CALLS ? ['maxCalls', 'agentId'] : ['maxCalls'];
    return sameBut(one, other, but) && one.maxCalls <= other.maxCalls;
  }
  if ('most' in one && 'most' in other) return sameBut(one, other, ['most']) && one.most <= other.most;
  if (one.kind !== 'budget' || other.kind !== 'budget') return false;
  return sameBut(one, other, ['maxMicros']) && (one.maxMicros ?? Infinity) <= (other.maxMicros ?? Infinity);
}

function sameBut(one: object, other: object, but: readonly string[]): boolean {
  const rest = (of: object) =>
    Object.entries(of).filter(([name]) => ![...but, 'policy', 'ancestor', 'otherLimits'].includes(name));
  return JSON.stringify(rest(one)) === JSON.stringify(rest(other));
}

test('the policy names in checks, limits and other limits identify the rules that gave the policy', () => {
  let joined = 0;
  fc.assert(
    fc.property(AUTHORITY, arbitraryAction, (authority, action) => {
      const planOf = plansOf(chainOf(CHAIN), authority);
      const rules = authority.rules as readonly {
        id: string;
        policy: string;
        agents: string[];
        mode: string;
      }[];
      for (const agentId of CHAIN) {
        const { checks, limits, mandate } = planOf(agentId, action);
        const named = [...checks, ...limits, ...limits.flatMap(({ otherLimits = [] }) => otherLimits)];
        for (const { policy, ancestor } of named) {
          if (policy === undefined) continue;
          const of = ancestor === undefined ? '' : ` of ${ancestor}`;
          const gave = rules.filter(
            ({ policy: id, agents, mode }) =>
              `${id}@1${of}` === policy &&
              mode !== 'shadow' &&
              ['*', ancestor ?? agentId].some((one) => agents.includes(one)),
          );
          expect(rulesThatGave(policy, mandate)).toEqual(gave.map(({ id }) => `${id}${of}`).toSorted());
          joined += 1;
        }
      }
    }),
    { numRuns: runs(100) },
  );
  expect(joined).toBeGreaterThan(hits(500));
});

test('an agent without ancestors is decided as without delegation', () => {
  fc.assert(
    fc.property(AUTHORITY, arbitraryAction, (authority, action) => {
      const alone = plansOf([{ id: 'lead' }], authority)('lead', action);
      expect(plansOf(chainOf(CHAIN), authority)('lead', action)).toEqual(alone);
      expect(JSON.stringify(alone)).not.toContain('ancestor');
    }),
    { numRuns: 50 },
  );
});

const SUBTREES = {
  lead: ['lead', 'worker', 'hand', 'twin'],
  worker: ['worker', 'hand'],
  hand: ['hand'],
  twin: ['twin'],
};
const WINDOW_MS = 500;
const RATE_MS = 100;

const spending: Register = {
  agents: [...chainOf(CHAIN), { id: 'twin', parent: 'lead' }],
  policies: [
    { id: 'all' },
    {
      id: 'of-lead',
      maxCostTotal: 1,
      budgets: [{ id: 'w', scope: 'agent', max: 0.4, windowMs: WINDOW_MS }],
      rateLimit: { maxCalls: 3, windowMs: RATE_MS },
    },
    {
      id: 'of-worker',
      maxCostTotal: 0.5,
      toolPolicies: { get_user: { rateLimit: { maxCalls: 2, windowMs: RATE_MS } } },
    },
  ],
  rules: [
    { id: 'all', policy: 'all' },
    { id: 'of-lead', policy: 'of-lead', agents: ['lead'] },
    { id: 'of-worker', policy: 'of-worker', agents: ['worker'] },
  ],
};

const happening = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ did: fc.constant('ask' as const), by: fc.constantFrom(...SUBTREES.lead) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      did: fc.constant('report' as const),
      back: fc.nat(3),
      status: fc.constantFrom('success', 'failure', 'cancelled'),
      actualCostMicros: fc.constantFrom(0, 50_000, 100_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ did: fc.constant('wait' as const), ms: fc.constantFrom(1, 40, 99, 300) }),
  },
);

test('the spending of descendants counts in the budgets and rates of all ancestors, and never exceeds them', async () => {
  let stopped = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 20, maxLength: 60, size: 'max' }), async (history) => {
      const box = deciderInABox([{}]);
      const mandates = registered(spending);
      box.context.control = () => mandates;
      const asked: { id: string; agentId: string }[] = [];
      for (const one of history) {
        if (one.did === 'wait') box.clock.advance(one.ms);
        if (one.did === 'ask') {
          const action = { id: `act-${asked.length}`, agentId: one.by, estimatedCostMicros: 100_000 };
          asked.push(action);
          await box.answer([box.append(asking(action))]);
        }
        const of = one.did === 'report' ? asked.at(-1 - one.back) : undefined;
        if (one.did === 'report' && of !== undefined) {
          const { status, actualCostMicros } = one;
          const cost = status === 'cancelled' ? {} : { actualCostMicros };
          await box.answer([
            box.append(reporting({ actionId: of.id, agentId: of.agentId, status, ...cost })),
          ]);
        }
        expect(spentBy(box, SUBTREES.lead)).toBeLessThanOrEqual(1_000_000);
        expect(spentBy(box, SUBTREES.worker)).toBeLessThanOrEqual(500_000);
      }
      for (const at of allowed(box, SUBTREES.lead)) {
        expect(spentBy(box, SUBTREES.lead, at, at + WINDOW_MS)).toBeLessThanOrEqual(400_000);
        expect(allowed(box, SUBTREES.lead, at, at + RATE_MS).length).toBeLessThanOrEqual(3);
        expect(allowed(box, SUBTREES.worker, at, at + RATE_MS).length).toBeLessThanOrEqual(2);
      }
      const totals = (await box.ledger.balances('default')).filter(({ budget }) => budget.id === 'total');
      for (const [subject, below] of Object.entries(SUBTREES)) {
        const held = totals.find(({ budget }) => budget.subject === subject);
        expect(held?.spent ?? 0, `of ${subject}`).toBe(spentBy(box, below));
      }
      expect(await foldedBalances(box)).toEqual(await box.ledger.balances('default'));
      stopped += decisionsOf(box).filter(({ checks }) =>
        checks.some(({ result, ancestor }) => result === 'block' && ancestor !== undefined),
      ).length;
    }),
    { numRuns: 12 },
  );
  expect(
    stopped,
    'an agent is stopped by the calls of its ancestors or their other descendants',
  ).toBeGreaterThan(hits(20));
});

const read = new WeakMap<Box, DecisionsRecord[]>();

/**
 * Returns the published records. Each record is parsed only once, because this function is called after every step.
 */
function recordsOf(box: Box): readonly DecisionsRecord[] {
  const records = read.get(box) ?? [];
  read.set(box, records);
  for (const text of box.published.slice(records.length))
    records.push(readDecisionsRecord(new TextEncoder().encode(text)));
  return records;
}

function decisionsOf(box: Box) {
  return recordsOf(box).flatMap((record) => (record.event === 'action.decided' ? [record.decision] : []));
}

function allowed(
  box: Box,
  agentIds: readonly string[],
  fromMs = 0,
  beforeMs = Number.POSITIVE_INFINITY,
): number[] {
  return decisionsOf(box).flatMap(({ agentId, verdict, decidedAt }) => {
    const atMs = Date.parse(decidedAt);
    return verdict === 'ALLOW' && agentIds.includes(agentId) && fromMs <= atMs && atMs < beforeMs
      ? [atMs]
      : [];
  });
}

/** Returns the charges and settlements of the actions that were allowed in the given time. */
function spentBy(
  box: Box,
  agentIds: readonly string[],
  fromMs = 0,
  beforeMs = Number.POSITIVE_INFINITY,
): number {
  const spent = new Map<string, number>();
  for (const record of recordsOf(box)) {
    if (record.event === 'action.decided') {
      const { agentId, actionId, chargedMicros, decidedAt } = record.decision;
      const atMs = Date.parse(decidedAt);
      if (agentIds.includes(agentId) && fromMs <= atMs && atMs < beforeMs) spent.set(actionId, chargedMicros);
    }
    if (record.event === 'action.settled') {
      const { actionId, deltaMicros } = record.settlement;
      const charged = spent.get(actionId);
      if (charged !== undefined) spent.set(actionId, charged + deltaMicros);
    }
  }
  return [...spent.values()].reduce((sum, micros) => sum + micros, 0);
}

async function foldedBalances(box: Box) {
  const fold = createFold();
  for (const [offset, text] of box.published.entries()) {
    const record = readDecisionsHead(new TextEncoder().encode(text));
    foldRecord(fold, { source: { partition: 0, offset }, record });
  }
  return await deciderInABox([{}], { startMs: box.clock(), state: fold.state }).ledger.balances('default');
}

test('a check names the agent with the limit that was reached, and the ancestor for which no rule was found', () => {
  const planOf = plansOf(chainOf(CHAIN), {
    policies: [
      { id: 'reads', allowedTools: ['read_*'], maxCostTotal: 2 },
      { id: 'all', rateLimit: { maxCalls: 9, windowMs: 10 } },
    ],
    rules: [
      { id: 'all', policy: 'all' },
      { id: 'lead-reads', policy: 'reads', agents: ['lead'] },
    ],
  });
  const call = { id: 'x', agentId: '', type: 'tool_call', tool: 'send' } as const;
  expect(planOf('worker', call)).toMatchObject({
    mandate: {
      id: 'rules',
      rules: ['all', 'all of lead', 'lead-reads of lead'],
      policies: ['all@1', 'all@1 of lead', 'reads@1 of lead'],
      grantedBy: [
        { policy: 'all@1', rules: ['all'] },
        { policy: 'all@1 of lead', rules: ['all of lead'] },
        { policy: 'reads@1 of lead', rules: ['lead-reads of lead'] },
      ],
    },
    refusal: {
      code: 'TOOL_NOT_ALLOWED',
      reason:
        'No pattern of allowedTools matches the tool "send". ' +
        'This comes from the policy "reads@1 of lead", which the rule "lead-reads of lead" gives.',
    },
    checks: [{ check: 'tool-allowed', result: 'block', policy: 'reads@1 of lead', ancestor: 'lead' }],
    limits: [
      { kind: 'budget', subject: 'worker', id: 'total', maxMicros: null, policy: 'all@1' },
      {
        kind: 'budget',
        subject: 'lead',
        id: 'total',
        maxMicros: 2_000_000,
        policy: 'reads@1 of lead',
        ancestor: 'lead',
      },
      { kind: 'rate', agentId: 'worker', policy: 'all@1' },
      { kind: 'rate', agentId: 'lead', policy: 'all@1 of lead', ancestor: 'lead' },
      { kind: 'rate', agentId: 'worker', tool: '', policy: 'reads@1 of lead', ancestor: 'lead' },
    ],
  });
  const nobody = plansOf(chainOf(CHAIN), {
    policies: [{ id: 'all' }],
    rules: [{ id: 'hands', policy: 'all', agents: ['hand', 'lead'] }],
  });
  expect(nobody('hand', call)).toMatchObject({
    refusal: {
      code: 'MANDATE_NOT_FOUND',
      reason: expect.stringContaining('"worker", an ancestor of this agent'),
    },
    checks: [{ check: 'mandate-found', evidence: { agentId: 'worker' }, ancestor: 'worker' }],
  });
});

test('a delegable tool is only for descendants, if their own rules and all agents in between allow it', () => {
  const policies = [
    {
      id: 'lead',
      allowedTools: ['plan', 'ask'],
      delegableTools: ['deploy*', 'drop'],
      deniedTools: ['deploy_all', 'drop'],
    },
    { id: 'worker', allowedTools: ['ask', 'deploy*'] },
    { id: 'hand', allowedTools: ['deploy*', 'plan'] },
  ];
  const rules = policies.map(({ id }) => ({ id, policy: id, agents: [id] }));
  const planOf = plansOf(chainOf(CHAIN), { policies, rules });
  const said = (agentId: string) =>
    ['plan', 'ask', 'deploy_one', 'deploy_all', 'drop'].filter(
      (tool) => planOf(agentId, { id: 'x', agentId, type: 'tool_call', tool }).refusal === null,
    );
  expect(CHAIN.map(said)).toEqual([['plan', 'ask'], ['ask', 'deploy_one'], ['deploy_one']]);
  const { checks } = planOf('hand', { id: 'x', agentId: 'hand', type: 'tool_call', tool: 'deploy_one' });
  expect(checks.filter(({ check }) => check === 'tool-allowed')).toEqual([
    {
      check: 'tool-allowed',
      result: 'pass',
      evidence: { tool: 'deploy_one', pattern: 'deploy*' },
      policy: 'hand@1',
    },
    {
      ...{ check: 'tool-allowed', result: 'pass', policy: 'worker@1 of worker', ancestor: 'worker' },
      evidence: { tool: 'deploy_one', pattern: 'deploy*' },
    },
    {
      ...{ check: 'tool-allowed', result: 'pass', policy: 'lead@1 of lead', ancestor: 'lead' },
      evidence: { tool: 'deploy_one', pattern: 'deploy*', delegated: true },
    },
  ]);
});

test('a shadow rule that matches an ancestor is evaluated for its descendants, and changes nothing', () => {
  const planOf = plansOf(chainOf(CHAIN), {
    policies: [{ id: 'all' }, { id: 'none', deniedTools: ['*'] }],
    rules: [
      { id: 'all', policy: 'all' },
      { id: 'soon', policy: 'none', agents: ['lead'], mode: 'shadow' },
    ],
  });
  const { refusal, shadow } = planOf('worker', { id: 'x', agentId: '', type: 'tool_call', tool: 'send' });
  expect({ refusal, shadow }).toMatchObject({
    refusal: null,
    shadow: { code: 'TOOL_DENIED', rules: ['soon of lead'], policies: ['none@1 of lead'] },
  });
});
