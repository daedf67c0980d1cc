/**
 * Tests that tenant limits only forbid more, and are in every mandate of the tenant. In a closed tenant nothing is
 * allowed.
 */

import { foldControl, mandatesByRegister, mandatesUnderControl } from '@mandate/control';
import { mandatesOfFile, planInForce } from '@mandate/policy';
import { loadMandates } from '@mandate/policy/documents';
import { type Action, controlRecord, type Plan, tenantDocument } from '@mandate/schemas';
import { hits, runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { START_MS } from '../decider-in-a-box.ts';
import { arbitraryAction, arbitraryMandate } from './arbitrary-requests.ts';
import { arbitraryAuthority, chainOf, registered } from './registered.ts';

// The timeout is long: each test runs many random cases, which takes a second or two, and more on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const CHAIN = ['lead', 'worker'];
const AUTHORITY = arbitraryAuthority(CHAIN);
/** Tenant limits in one or two fields. With limits in more fields, nothing would be allowed. */
const TENANT_LIMITS = fc
  .tuple(arbitraryMandate, fc.infiniteStream(fc.nat()))
  .map(([{ mode: _, budgets, tokensPerWindow, toolCallsPerWindow, ...fields }, drawn]) => {
    const all = {
      ...fields,
      ...(budgets && { budgets: budgets.filter(({ scope }) => scope !== 'mandate') }),
      ...(tokensPerWindow && {
        tokensPerWindow: tokensPerWindow.filter(({ scope }) => scope !== 'mandate'),
      }),
      ...(toolCallsPerWindow && {
        toolCallsPerWindow: toolCallsPerWindow.filter(({ scope }) => scope !== 'mandate'),
      }),
    };
    const names = Object.keys(all);
    const kept = [0, 1].map(() => names[drawn.next().value % names.length]);
    return Object.fromEntries(Object.entries(all).filter(([name]) => kept.includes(name)));
  });

type Given = Parameters<typeof registered>[0];

function plansOf(given: Omit<Given, 'agents'>) {
  const mandates = registered({ agents: chainOf(CHAIN), ...given });
  return (agentId: string, { mandateId: _, ...action }: Action): Plan =>
    planInForce(mandates, 'default', { ...action, agentId }, START_MS);
}

const letsThrough = ({ refusal, observe }: Plan) => refusal === null || observe;

test('with tenant limits, nothing is allowed that is refused without them, and the limits alone allow nothing', () => {
  let [allowed, refused] = [0, 0];
  fc.assert(
    fc.property(AUTHORITY, TENANT_LIMITS, arbitraryAction, (authority, tenantLimits, action) => {
      const [plansWithout, plansWithin] = [plansOf(authority), plansOf({ ...authority, tenantLimits })];
      for (const agentId of CHAIN) {
        const [without, within] = [plansWithout(agentId, action), plansWithin(agentId, action)];
        if (letsThrough(within)) allowed += 1;
        if (letsThrough(without) && !letsThrough(within)) refused += 1;
        if (letsThrough(within)) expect(letsThrough(without)).toBe(true);
        // The shadow result is left out, because tenant limits also change the verdict of shadow rules.
        if (without.mandate === null)
          expect({ ...within, shadow: null }).toEqual({ ...without, shadow: null });
        else expect(within.mandate?.policies.at(-1)).toMatch(/^tenant default@\d+( of lead)?$/);
      }
    }),
    { numRuns: runs(180) },
  );
  expect(Math.min(allowed, refused), 'both came about').toBeGreaterThan(hits(15));
});

test('tenant limits act as one more policy that a rule applies to all agents', () => {
  const others = { id: 'q', agents: ['*'], policy: 'q' };
  fc.assert(
    fc.property(AUTHORITY, TENANT_LIMITS, arbitraryAction, ({ policies, rules }, tenantLimits, action) => {
      const own = { policies: [...policies, { id: 'q' }], rules: [...rules, others] };
      const given = { id: 'zz', agents: ['*'], policy: 'zz' };
      const asPolicy = {
        policies: [...own.policies, { ...tenantLimits, id: 'zz' }],
        rules: [...own.rules, given],
      };
      const [limited, granted] = [plansOf({ ...own, tenantLimits }), plansOf(asPolicy)];
      for (const agentId of CHAIN) {
        const [within, under] = [limited(agentId, action), granted(agentId, action)];
        expect(essence(within, /tenant default@\d+/g)).toEqual(essence(under, /zz@1/g));
      }
    }),
    { numRuns: 40 },
  );
});

/**
 * Returns a plan without the names that differ: those of the tenant limits, or of the policy and the rule that act in
 * their place.
 */
function essence({ mandate, shadow: _, ...plan }: Plan, called: RegExp): unknown {
  const { policies } = mandate ?? {};
  const text = JSON.stringify({ ...plan, policies }).replaceAll(/, which the rule \\"zz[^"]*" gives/g, '');
  return JSON.parse(text.replaceAll(called, 'LIMITS'));
}

test('tenant limits are always enforced, delegate nothing, and count only budgets of the tenant, an agent or a principal', () => {
  const document = (tenantLimits: object) =>
    tenantDocument.safeParse({ version: 1, id: 'acme', limits: tenantLimits }).success;
  expect(document({ deniedTools: ['a'], budgets: [{ id: 'a', scope: 'tenant', max: 1 }] })).toBe(true);
  for (const tenantLimits of [
    { mode: 'observe' },
    { delegableTools: ['a'] },
    { agents: ['a'] },
    { budgets: [{ id: 'a', scope: 'mandate', max: 1 }] },
    { tokensPerWindow: [{ id: 'a', scope: 'mandate', maxTokens: 1, windowMs: 1 }] },
    { toolCallsPerWindow: [{ id: 'a', scope: 'mandate', maxToolCalls: 1, windowMs: 1 }] },
  ])
    expect([tenantLimits, document(tenantLimits)]).toEqual([tenantLimits, false]);
});

/**
 * Returns functions that change a tenant, and functions that ask what is allowed after each change. They also ask
 * about agents of the mandates file.
 */
function tenant() {
  const fold = foldControl();
  let revision = 0;
  const put = (fields: object, of = 'acme') => {
    revision += 1;
    const change = {
      id: `chg-${revision}`,
      tenant: of,
      by: 'ann',
      reason: '',
      at: '2026-03-01T12:00:00.000Z',
    };
    return fold.apply(controlRecord.parse({ ...fields, change }), revision);
  };
  const loaded = loadMandates('version: 1\nid: of-the-file\nagents: ["*"]\nallowedTools: [read, send]\n');
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  const mandates = mandatesByRegister(
    mandatesUnderControl(fold, () => revision),
    mandatesOfFile(loaded.mandates, 0),
  );
  const ask = (agentId: string, fields: object = {}, of = 'acme') => {
    const action = { id: 'x', agentId, type: 'tool_call', tool: 'send', ...fields } as Action;
    return planInForce(mandates, of, action, START_MS);
  };
  const said = (...asked: Parameters<typeof ask>) => {
    const { refusal, mandate } = ask(...asked);
    return [refusal?.code ?? 'ALLOWED', ...(mandate?.policies ?? [])];
  };
  put({ event: 'agent.put', agent: { id: 'bot' } });
  put({ event: 'policy.published', policy: { version: 1, id: 'p' } });
  put({ event: 'rule.put', rule: { version: 1, id: 'r', policy: 'p' } });
  const rules = [{ rule: 'r', policy: 'p@1', mode: 'enforce' }];
  const ends = { ttlMs: 60_000, expiresAt: '2026-03-01T12:01:00.000Z' };
  put({
    event: 'grant.issued',
    grant: { id: 'mnd_1', agentId: 'bot', context: {}, rules, openRules: [], foundAt: 3, ...ends },
  });
  const open = (fields: object = {}) =>
    put({ event: 'tenant.put', tenant: { version: 1, id: 'acme', ...fields } });
  return { fold, mandates, put, open, ask, said, revision: () => revision };
}

const ISSUED = { mandateId: 'mnd_1' };

test('after a change of tenant limits, they apply to rules, grants and the mandates file of this tenant, and to no other tenant', () => {
  const { open, said } = tenant();
  open({ limits: { deniedTools: ['send'] } });
  expect(said('bot')).toEqual(['TOOL_DENIED', 'p@1', 'tenant acme@5']);
  expect(said('bot', ISSUED)).toEqual(['TOOL_DENIED', 'p@1', 'tenant acme@5']);
  expect(said('stranger')).toEqual(['TOOL_DENIED', 'tenant acme@5']);
  expect(said('stranger', { tool: 'look' })).toEqual(['TOOL_NOT_ALLOWED', 'tenant acme@5']);
  expect(said('stranger', { tool: 'read' })).toEqual(['ALLOWED', 'tenant acme@5']);
  expect(said('bot', {}, 'globex')).toEqual(['ALLOWED']);
  open({ name: 'Acme' });
  expect([said('bot'), said('bot', ISSUED), said('stranger')]).toEqual([
    ['ALLOWED', 'p@1'],
    ['ALLOWED', 'p@1'],
    ['ALLOWED'],
  ]);
});

test('no policy replaces tenant limits, whatever the policy’s name is', () => {
  const { open, put, said } = tenant();
  for (let at = 0; at < 9; at += 1)
    for (const id of ['acme', 'tenant-acme']) put({ event: 'policy.published', policy: { version: 1, id } });
  for (const policy of ['acme', 'tenant-acme'])
    put({ event: 'rule.put', rule: { version: 1, id: policy, policy } });
  open({ limits: { allowedTools: [] } });
  expect(said('bot')[0]).toBe('TOOL_NOT_ALLOWED');
  const named = put({ event: 'policy.published', policy: { version: 1, id: 'p', maxCostTotal: 1 } });
  expect([named.ok, said('bot')[0]]).toEqual([true, 'TOOL_NOT_ALLOWED']);
  expect(() => put({ event: 'policy.published', policy: { version: 1, id: 'tenant acme' } })).toThrow();
});

test('in a closed tenant nothing is allowed by rules, grants or the mandates file until the tenant is opened again', () => {
  const { open, put, ask, said, mandates, revision } = tenant();
  const everyone: Parameters<typeof said>[] = [['bot'], ['bot', ISSUED], ['stranger']];
  const codes = () => everyone.map((asked) => said(...asked)[0]);
  open();
  expect(codes()).toEqual(['ALLOWED', 'ALLOWED', 'ALLOWED']);
  put({ event: 'tenant.closed' });
  expect(codes()).toEqual(['TENANT_CLOSED', 'TENANT_CLOSED', 'TENANT_CLOSED']);
  expect(mandates.revision).toBe(revision());
  expect(ask('stranger')).toMatchObject({
    ...{ observe: false, limits: [], mandate: null, reserveMicros: 0, holdsUntilMs: null },
    refusal: { final: true, reason: 'The tenant "acme" was closed at 2026-03-01T12:00:00.000Z.' },
    checks: [{ check: 'tenant-open', result: 'block', evidence: { tenant: 'acme' } }],
  });
  expect(said('bot', {}, 'globex')).toEqual(['ALLOWED']);
  open();
  expect(codes()).toEqual(['ALLOWED', 'ALLOWED', 'ALLOWED']);
});

test('counters of tenant limits differ from the counters of policies', () => {
  const { open, put, ask, fold, revision } = tenant();
  const { isOfTenantLimits } = mandatesUnderControl(fold, revision);
  const own = { id: 'own', scope: 'tenant', max: 1 };
  put({ event: 'policy.published', policy: { version: 1, id: 'p', budgets: [own] } });
  const counted = (of: string) =>
    ask('bot').limits.flatMap((limit) =>
      limit.kind === 'budget' && isOfTenantLimits(of, limit) ? [`${limit.scope} ${limit.id}`] : [],
    );
  open({ limits: { maxCostTotal: 1 } });
  expect(counted('acme')).toEqual(['agent total']);
  const contract = { id: 'contract', scope: 'tenant', max: 1, windowMs: 60_000 };
  open({ limits: { budgets: [contract, { id: 'each', scope: 'principal', max: 1 }] } });
  expect(counted('acme')).toEqual(['principal each', 'tenant contract']);
  expect(counted('globex')).toEqual([]);
  expect(isOfTenantLimits('acme', { scope: 'tenant', id: 'contract', windowMs: null })).toBe(false);
});

test('a mandate with tenant limits is compiled once', () => {
  const { open, mandates } = tenant();
  open({ limits: { deniedTools: ['look'] } });
  for (const fields of [{ agentId: 'bot' }, { agentId: 'bot', ...ISSUED }, { agentId: 'stranger' }]) {
    const action = { id: 'x', type: 'tool_call', tool: 'send', ...fields } as Action;
    const mandateOf = () => mandates.mandateFor('acme', action, START_MS).mandate;
    expect(mandateOf()?.policies.at(-1)?.name).toBe('tenant acme@5');
    expect(mandateOf()).toBe(mandateOf());
  }
});
