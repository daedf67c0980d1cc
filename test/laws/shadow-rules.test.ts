/**
 * Tests on random histories that shadow rules change nothing. Also tests that the verdict that is reported for them
 * is the verdict that the rules would give if they were enforced.
 */

import { foldControl, mandatesUnderControl } from '@mandate/control';
import type { MandatesInForce } from '@mandate/policy';
import { controlRecord, type Decision } from '@mandate/schemas';
import { runs } from '@mandate/testing';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { asking, type Box, deciderInABox, decisionOf, START_MS } from '../decider-in-a-box.ts';
import { arbitraryMandate } from './arbitrary-requests.ts';
import { arbitraryHistory, type Happening, playHistory } from './decide-history.ts';
import { grantNow } from './tenant-with-grants.ts';

// The timeout is long: each test runs many random cases, which takes a second or two, and more on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

/**
 * A policy, and the mode of the rule that applies it to all agents. If `mode` is null, no rule applies the policy.
 */
type Given = { mode: 'enforce' | 'shadow' | null; policy: object; rule?: object };

/**
 * Returns the mandates of two agents that are registered in both tenants. Each agent has a grant, mnd_agent-1 or
 * mnd_agent-2, composed of the enforced rules. Shadow rules are added later.
 */
function mandatesOf(given: readonly Given[]): MandatesInForce {
  const fold = foldControl();
  let changes = 0;
  for (const tenant of ['default', 'acme']) {
    const apply = (fields: object) => {
      changes += 1;
      const change = { id: `chg-${changes}`, tenant, by: 'ann', reason: '', at: '2026-03-01T12:00:00.000Z' };
      fold.apply(controlRecord.parse({ change, ...fields }), changes);
    };
    const agents = ['agent-1', 'agent-2'];
    for (const id of agents) apply({ event: 'agent.put', agent: { id } });
    for (const [at, { policy }] of given.entries())
      apply({ event: 'policy.published', policy: { version: 1, id: `p${at}`, ...policy } });
    const put = (wanted: Given['mode']) => {
      for (const [at, { mode, rule }] of given.entries())
        if (mode === wanted)
          apply({ event: 'rule.put', rule: { version: 1, id: `r${at}`, policy: `p${at}`, mode, ...rule } });
    };
    put('enforce');
    for (const id of agents) {
      const grant = grantNow(fold.tenant(tenant), id, { id });
      if (grant !== null) apply({ event: 'grant.issued', grant });
    }
    put('shadow');
  }
  return mandatesUnderControl(fold, () => 7);
}

function enforce(box: Box, given: readonly Given[]): void {
  const mandates = mandatesOf(given);
  box.context = { ...box.context, control: () => mandates };
}

function boxUnder(given: readonly Given[]): Box {
  const box = deciderInABox([{}]);
  enforce(box, given);
  return box;
}

async function decided(box: Box, ask: object): Promise<Decision> {
  const [answer] = await box.answer([box.append(ask)]);
  return decisionOf(answer);
}

const policies = (minLength: number) => fc.array(arbitraryMandate, { minLength, maxLength: 2, size: 'max' });
const under = (mode: Given['mode']) => (policy: object) => ({ mode, policy });
/** True if the actions name the grants. False if the current rules apply. */
const isIssued = fc.boolean();
const ANYTHING = under('enforce')({});

test('shadow rules change nothing: apart from their reports, every record is the same as without them', async () => {
  await fc.assert(
    fc.asyncProperty(
      policies(0),
      policies(1),
      arbitraryHistory,
      isIssued,
      async (kept, more, all, issued) => {
        const history = issued ? all.map(underIssued) : all;
        const play = async (mode: 'shadow' | null) => {
          const base = issued ? [ANYTHING] : [];
          const box = boxUnder([...base, ...kept.map(under('enforce')), ...more.map(under(mode))]);
          await playHistory(box, history);
          return box.published;
        };
        const [beside, without] = [await play('shadow'), await play(null)];
        expect(beside.map(withoutShadow)).toEqual(without);
      },
    ),
    { numRuns: 15 },
  );
});

function underIssued(happening: Happening): Happening {
  if (happening.did !== 'ask') return happening;
  const { action } = happening.ask;
  const ask = { ...happening.ask, action: { ...action, mandateId: `mnd_${action.agentId}` } };
  return { ...happening, ask };
}

function withoutShadow(text: string): string {
  const record = JSON.parse(text);
  if (record.decision !== undefined) delete record.decision.shadow;
  return JSON.stringify(record);
}

/** Rate limits with counters that two policies may share. A few calls reach these limits. */
const rateLimit = fc.record({ maxCalls: fc.nat(3), windowMs: fc.constantFrom(500, 3_000) });
const max = fc.constantFrom(0.05, 0.1, 0.2, 0.3);
const budget = fc.record({
  id: fc.constantFrom('a', 'b'),
  scope: fc.constantFrom('tenant', 'principal', 'mandate'),
  max,
});
const limits = fc.record(
  {
    mode: fc.constantFrom('enforce', 'enforce', 'observe'),
    maxCostTotal: max,
    budgets: fc.array(budget, { maxLength: 1 }),
    rateLimit,
    toolPolicies: fc.dictionary(
      fc.constantFrom('get_user', 'send'),
      fc.record({ cost: max, rateLimit, requiresConfirmation: fc.boolean() }, { requiredKeys: [] }),
    ),
  },
  { requiredKeys: [] },
);
const strict = fc.oneof({ weight: 4, arbitrary: limits }, { weight: 1, arbitrary: arbitraryMandate });

const step = fc.record({
  tool: fc.constantFrom('get_user', 'get_user', 'send'),
  principal: fc.constantFrom({ id: 'ann' }, { id: 'bob' }),
  afterMs: fc.constantFrom(0, 0, 1, 400, 2_000),
});
const steps = fc.array(step, { minLength: 1, maxLength: 8, size: 'max' });

test('if all limits of shadow rules are known, the verdict that is reported for them is the verdict that they would have given', async () => {
  const few = (minLength: number) => fc.array(strict, { minLength, maxLength: 2, size: 'max' });
  await fc.assert(
    fc.asyncProperty(few(0), few(1), steps, isIssued, async (kept, more, calls, issued) => {
      const mandate = issued ? { mandateId: 'mnd_agent-1' } : {};
      const last = async (mode: 'enforce' | 'shadow') => {
        const rules = (mode: Given['mode']) => [
          ...(issued ? [ANYTHING] : []),
          ...kept.map(under('enforce')),
          ...more.map(under(mode)),
        ];
        const box = boxUnder(rules('shadow'));
        const decisions: Decision[] = [];
        for (const [at, { afterMs, ...call }] of calls.entries()) {
          box.clock.advance(afterMs);
          if (at === calls.length - 1) enforce(box, rules(mode));
          decisions.push(await decided(box, asking({ id: `${at}`, ...call, ...mandate })));
        }
        return decisions.at(-1);
      };
      const [shadow, inForce] = [(await last('shadow'))?.shadow, await last('enforce')];
      const { verdict, code } = inForce ?? {};
      if (shadow?.verdict === 'UNKNOWN') expect(shadow.unknownLimits).toBeGreaterThan(0);
      else if (shadow?.unknownLimits) expect(verdict).toBe('BLOCK');
      else expect({ verdict: shadow?.verdict, code: shadow?.code }).toEqual({ verdict, code });
    }),
    { numRuns: runs(60) },
  );
});

describe('a decision reports for shadow rules', () => {
  const RATE = { rateLimit: { maxCalls: 3, windowMs: 1_000 } };
  const kept: Given = { mode: 'enforce', policy: { ...RATE, toolPolicies: { get_user: { cost: 0.1 } } } };
  const shadow = (policy: object, rule = {}): Given => ({ mode: 'shadow', policy, rule });
  const asks = { get_user: { requiresConfirmation: true } };

  test.each<[string, object, unknown[]]>([
    ['a static check', { deniedTools: ['get_*'] }, ['BLOCK', 'TOOL_DENIED', 0]],
    ['the total, which is always counted', { maxCostTotal: 0.15 }, ['BLOCK', 'COST_LIMIT_EXCEEDED', 0]],
    ['the total, with room', { maxCostTotal: 0.2 }, ['ALLOW', 'ALLOWED', 0]],
    [
      'a rate that is counted',
      { rateLimit: { maxCalls: 1, windowMs: 1_000 } },
      ['BLOCK', 'RATE_LIMIT_EXCEEDED', 0],
    ],
    ['the same rate, with room', { rateLimit: { maxCalls: 2, windowMs: 1_000 } }, ['ALLOW', 'ALLOWED', 0]],
    [
      'the first of two',
      { maxCostTotal: 0.15, rateLimit: { maxCalls: 1, windowMs: 1_000 } },
      ['BLOCK', 'COST_LIMIT_EXCEEDED', 0],
    ],
    ['a rate without a counter', { rateLimit: { maxCalls: 1, windowMs: 999 } }, ['UNKNOWN', null, 1]],
    ['a confirmation', { toolPolicies: asks }, ['DEFER', 'APPROVAL_REQUIRED', 0]],
    ['a policy in observe mode', { mode: 'observe', deniedTools: ['*'] }, ['BLOCK', 'TOOL_DENIED', 0]],
    [
      'a known failure before an unknown one',
      { maxCostTotal: 0.15, rateLimit: { maxCalls: 1, windowMs: 999 }, toolPolicies: asks },
      ['BLOCK', 'COST_LIMIT_EXCEEDED', 1],
    ],
  ])('%s', async (_, policy, [verdict, code, unknownLimits]) => {
    const box = boxUnder([kept, shadow(policy)]);
    await decided(box, asking({ id: 'a' }));
    const second = await decided(box, asking({ id: 'b' }));
    expect(second).toMatchObject({
      verdict: 'ALLOW',
      chargedMicros: 100_000,
      shadow: { verdict, code, unknownLimits, rules: ['r1'], policies: ['p1@1'] },
    });
  });

  test.each([{ maxCostTotal: 1 }, { mode: 'observe', deniedTools: ['*'] }])(
    'what %j would allow, if no enforced rule applies',
    async (policy) => {
      const box = boxUnder([shadow(policy)]);
      expect(await decided(box, asking({ id: 'a' }))).toMatchObject({
        verdict: 'BLOCK',
        code: 'MANDATE_NOT_FOUND',
        shadow: { verdict: 'ALLOW', unknownLimits: 0 },
      });
    },
  );

  test('a refusal, even if the enforced mandate is in observe mode', async () => {
    const watching = { mode: 'enforce', policy: { mode: 'observe', deniedTools: ['*'] } } as const;
    const decision = await decided(boxUnder([watching, shadow({})]), asking({ id: 'a' }));
    expect(decision).toMatchObject({ verdict: 'ALLOW', shadow: { verdict: 'BLOCK', code: 'TOOL_DENIED' } });
  });

  test('an existing approval, if the action needs an approval with and without the shadow rules', async () => {
    const confirmed = { mode: 'enforce', policy: { toolPolicies: asks } } as const;
    const box = boxUnder([confirmed, shadow({ toolPolicies: asks })]);
    const { digest, shadow: told } = await decided(box, asking({ id: 'a' }));
    expect(told).toMatchObject({ verdict: 'DEFER' });
    const command = {
      id: 'c',
      by: 'op',
      reason: 'looked',
      tenant: 'default',
      agentId: 'agent-1',
      actionId: 'a',
    };
    await box.ledger.approve({ ...command, digest, answer: 'granted', expiresAtMs: START_MS + 9_000 });
    const granted = await decided(box, asking({ id: 'a' }));
    expect(granted).toMatchObject({ grantConsumed: true, shadow: { verdict: 'ALLOW' } });
  });

  test('nothing, if no shadow rule matches or none was evaluated', async () => {
    const box = boxUnder([kept, shadow({ deniedTools: ['*'] }, { agents: ['agent-2'] })]);
    expect(await decided(box, asking({ id: 'a' }))).not.toHaveProperty('shadow');
    expect(await decided(box, asking({ id: 'b', agentId: 'agent-2' }))).toHaveProperty('shadow');
    expect(await decided(box, asking({ id: 'b', agentId: 'agent-2' }))).not.toHaveProperty('shadow');
  });

  test('exactly the same, if the answer is given again under other rules', async () => {
    const box = boxUnder([kept, shadow({ deniedTools: ['*'] })]);
    const asked = box.append(asking({ id: 'a' }));
    const first = await box.answer([asked], true);
    enforce(box, [kept]);
    expect(await box.answer([asked])).toEqual(first);
  });

  test('an unknown verdict, if a shadow rule began or ended between plan and step, because no new plan is made for it', async () => {
    const until = (ms: number) => ({ endsAt: new Date(START_MS + ms).toISOString() });
    const box = boxUnder([kept, shadow({ deniedTools: ['*'] }, until(5))]);
    box.context = { ...box.context, clock: () => START_MS };
    box.clock.advance(5);
    expect(await decided(box, asking({ id: 'a' }))).toMatchObject({
      verdict: 'ALLOW',
      shadow: { verdict: 'UNKNOWN', code: null, unknownLimits: 0 },
    });
  });
});
