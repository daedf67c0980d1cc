/**
 * What is allowed under a mandate that was issued is what the rules allowed then, in the context that it was issued for: no
 * more, whatever is changed meanwhile, and nothing once it has ended.
 */
import {
  composeIssue,
  foldControl,
  mandatesUnderControl,
  planInForce,
  type TenantControl,
} from '@mandate/policy';
import { type Action, CAPS, type ControlRecord, controlRecord, type Plan, wireTime } from '@mandate/schemas';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { asking, type Box, deciderInABox, decisionOf, START_MS } from '../decider-in-a-box.ts';

const TTL_MS = 300_000;

/** A tenant's changes, one after the other, and what may be done after each. */
function tenant() {
  const fold = foldControl();
  let revision = 0;
  let nowMs = START_MS;
  const mandates = mandatesUnderControl(fold, () => revision);
  function put(fields: object, change: object = {}) {
    revision += 1;
    const made = { id: `chg-${revision}`, tenant: 'acme', by: 'ann', reason: '', at: wireTime(nowMs) };
    return fold.apply(controlRecord.parse({ ...fields, change: { ...made, ...change } }), revision);
  }
  const agent = (fields: object = {}) => put({ event: 'agent.put', agent: { id: 'bot', ...fields } });
  const policy = (fields: object = {}) =>
    put({ event: 'policy.published', policy: { version: 1, id: 'p', ...fields } });
  const rule = (fields: object = {}) =>
    put({ event: 'rule.put', rule: { version: 1, id: 'r', policy: 'p', ...fields } });
  const archive = (policyId = 'p') => put({ event: 'policy.archived', policyId, forced: true });

  /** As the control service makes them. */
  function mandate(id: string, context: Record<string, string> = {}, agentId = 'bot') {
    const control = fold.tenant('acme');
    const kept = control.agents.get(agentId);
    const made = kept && composeIssue(control, kept, context, nowMs);
    if (!made?.ok) return null;
    const { rules, openRules, endsAtMs } = made.composed;
    const endMs = Math.min(nowMs + TTL_MS, endsAtMs ?? Number.POSITIVE_INFINITY);
    const what = { id: `mnd_${id}`, agentId, context, rules, openRules };
    return { ...what, foundAt: revision, ttlMs: TTL_MS, expiresAt: wireTime(endMs) };
  }
  /** False where no rule matches. */
  function issue(id: string, context?: Record<string, string>, agentId?: string): boolean {
    const made = mandate(id, context, agentId);
    return made !== null && put({ event: 'mandate.issued', mandate: made }).ok;
  }
  const revoke = (id: string) => put({ event: 'mandate.revoked', mandateId: `mnd_${id}` });
  const ask = (fields: Partial<Action> & { tool?: string } = {}, atMs = nowMs): Plan => {
    const action = { id: 'x', agentId: 'bot', type: 'tool_call', tool: 'read', ...fields } as Action;
    return planInForce(mandates, 'acme', action, atMs);
  };
  return {
    ...{ fold, mandates, put, agent, policy, rule, archive, mandate, issue, revoke, ask },
    passes(ms: number) {
      nowMs += ms;
    },
  };
}

/** With an agent whom one rule holds to one policy. */
function governed(policy: object = {}) {
  const made = tenant();
  made.agent();
  made.policy(policy);
  made.rule();
  return made;
}

const codeOf = ({ refusal }: Plan) => refusal?.code ?? 'ALLOWED';

describe('an issued mandate', () => {
  test('keeps the versions that it was issued with, and without it the latest hold', () => {
    const { issue, policy, ask } = governed({ allowedTools: ['read'] });
    expect(issue('1')).toBe(true);
    policy({ allowedTools: [] });
    const under = ask({ mandateId: 'mnd_1' });
    expect(under).toMatchObject({
      refusal: null,
      mandate: { id: 'mnd_1', rules: ['r'], policies: ['p@1'] },
      holdsUntilMs: START_MS + TTL_MS,
    });
    expect(ask()).toMatchObject({ refusal: { code: 'TOOL_NOT_ALLOWED' }, mandate: { policies: ['p@2'] } });
    expect(ask({ mandateId: 'rules' }).mandate).toEqual(ask().mandate);
  });

  test('keeps its rules, and gets no others', () => {
    const { issue, put, policy, rule, ask } = governed({ allowedTools: ['read'] });
    issue('1');
    policy({ id: 'none', allowedTools: [] });
    rule({ id: 's', policy: 'none' });
    put({ event: 'rule.removed', ruleId: 'r' });
    expect(codeOf(ask({ mandateId: 'mnd_1' }))).toBe('ALLOWED');
    expect(ask({ mandateId: 'mnd_1' }).mandate?.rules).toEqual(['r']);
    expect(codeOf(ask())).toBe('TOOL_NOT_ALLOWED');
  });

  test('of a sub-agent is bounded by what those above hold now', () => {
    const { issue, put, agent, policy, rule, ask } = governed({ allowedTools: ['read'] });
    agent({ id: 'lead' });
    agent({ parent: 'lead' });
    expect(issue('1')).toBe(true);
    const under = () => ask({ mandateId: 'mnd_1' });
    expect(under()).toMatchObject({
      refusal: null,
      mandate: { id: 'mnd_1', policies: ['p@1', 'p@1 of lead'] },
      holdsUntilMs: START_MS + TTL_MS,
    });
    policy({ id: 'none', allowedTools: [] });
    rule({ id: 's', policy: 'none', agents: ['lead'] });
    expect(codeOf(under())).toBe('TOOL_NOT_ALLOWED');
    put({ event: 'agent.retired', agentId: 'lead' });
    expect(codeOf(under())).toBe('MANDATE_NOT_FOUND');
  });

  test('ends at its time, is revoked at once, and blocks where a policy of it is archived', () => {
    const { issue, revoke, archive, policy, ask } = governed();
    issue('1');
    issue('2');
    const under = (id: string, atMs?: number) => ask({ mandateId: `mnd_${id}` }, atMs);
    expect(codeOf(under('1', START_MS + TTL_MS - 1))).toBe('ALLOWED');
    expect(under('1', START_MS + TTL_MS)).toMatchObject({
      refusal: { code: 'MANDATE_EXPIRED', hard: true },
      holdsFromMs: START_MS + TTL_MS,
      holdsUntilMs: null,
    });
    revoke('1');
    expect(under('1').refusal).toMatchObject({
      code: 'MANDATE_EXPIRED',
      reason: expect.stringContaining('was revoked'),
      remedy: expect.stringContaining('/v1/mandates/issue'),
    });
    expect(codeOf(under('2'))).toBe('ALLOWED');
    archive();
    expect(codeOf(under('2'))).toBe('MANDATE_NOT_FOUND');
    policy();
    expect(under('2')).toMatchObject({ refusal: null, mandate: { policies: ['p@1'] } });
  });

  test('is of one agent and one tenant, and ends with the registration', () => {
    const { issue, put, agent, ask, mandates } = governed();
    agent({ id: 'other' });
    issue('1');
    expect(codeOf(ask({ mandateId: 'mnd_1' }))).toBe('ALLOWED');
    expect(codeOf(ask({ agentId: 'other' }))).toBe('ALLOWED');
    const strange = ask({ agentId: 'other', mandateId: 'mnd_1' });
    const none = ask({ agentId: 'other', mandateId: 'mnd_2' });
    expect(JSON.stringify(strange).replaceAll('mnd_1', 'mnd_2')).toBe(JSON.stringify(none));
    expect(none).toMatchObject({ refusal: { code: 'MANDATE_NOT_FOUND' }, mandate: null });
    const action = { id: 'x', agentId: 'bot', type: 'tool_call', tool: 'read', mandateId: 'mnd_1' } as const;
    expect(mandates.mandateFor('globex', action, START_MS).mandate).toBeNull();
    put({ event: 'agent.retired', agentId: 'bot' });
    agent();
    expect(codeOf(ask({ mandateId: 'mnd_1' }))).toBe('MANDATE_NOT_FOUND');
    expect(codeOf(ask())).toBe('ALLOWED');
  });

  test('is of the context that it was issued for: what an action leaves out holds, and nothing else may be said', () => {
    const { issue, policy, rule, ask } = governed();
    policy({ id: 'careful', allowedTools: ['read'] });
    rule({ id: 's', policy: 'careful', when: { field: 'context.environment', op: '==', value: 'prod' } });
    issue('prod', { environment: 'prod' });
    issue('dev', { environment: 'dev' });
    issue('any');
    const send = (id: string, context?: Record<string, string>) =>
      codeOf(ask({ tool: 'send', mandateId: `mnd_${id}`, ...(context && { context }) }));
    expect(send('prod')).toBe('TOOL_NOT_ALLOWED');
    expect(send('prod', { ticket: '1' })).toBe('TOOL_NOT_ALLOWED');
    expect(send('prod', { environment: 'dev' })).toBe('MANDATE_NOT_FOUND');
    expect(send('dev')).toBe('ALLOWED');
    // Of what it was not issued for, it says nothing: the rules that it is made of are asked.
    expect(send('dev', { environment: 'prod' })).toBe('MANDATE_NOT_FOUND');
    expect(send('any')).toBe('ALLOWED');
    expect(send('any', { environment: 'prod' })).toBe('TOOL_NOT_ALLOWED');
  });

  test('ends where its agent, or one above that, is put below another or registered anew', () => {
    const { agent, policy, rule, issue, put, ask } = tenant();
    const family = () => {
      agent({ id: 'boss' });
      agent({ id: 'lead', parent: 'boss' });
      agent({ parent: 'lead' });
    };
    family();
    policy();
    rule();
    policy({ id: 'none', allowedTools: [] });
    rule({ id: 's', policy: 'none', agents: ['boss'] });
    const moves = [
      () => agent(),
      () => agent({ id: 'lead' }),
      () => {
        put({ event: 'agent.retired', agentId: 'lead' });
        agent({ id: 'lead' });
      },
    ];
    for (const [at, move] of moves.entries()) {
      family();
      issue(`${at}`);
      agent({ parent: 'lead', name: 'a bot' });
      expect(codeOf(ask({ mandateId: `mnd_${at}` }))).toBe('TOOL_NOT_ALLOWED');
      move();
      expect(codeOf(ask({ mandateId: `mnd_${at}` }))).toBe('MANDATE_NOT_FOUND');
    }
  });

  test('of a sub-agent is of its context for the rules of those above it, too', () => {
    const { agent, policy, rule, issue, ask } = tenant();
    agent({ id: 'lead' });
    agent({ parent: 'lead' });
    policy({ allowedTools: ['read', 'send'] });
    rule();
    policy({ id: 'careful', allowedTools: ['read'] });
    const when = { field: 'context.environment', op: '==', value: 'prod' };
    rule({ id: 's', policy: 'careful', agents: ['lead'], when });
    issue('prod', { environment: 'prod' });
    issue('any');
    const send = (id: string, context?: Record<string, string>) =>
      codeOf(ask({ tool: 'send', mandateId: `mnd_${id}`, ...(context && { context }) }));
    expect(send('prod', { environment: 'prod' })).toBe('TOOL_NOT_ALLOWED');
    expect(send('prod')).toBe('TOOL_NOT_ALLOWED');
    expect(send('any')).toBe('ALLOWED');
  });

  test('asks the rules that look at an action of each action, as they stood', () => {
    const { issue, put, policy, rule, ask } = governed();
    policy({ id: 'small', maxCostPerCall: 1 });
    rule({ id: 's', policy: 'small', when: { field: 'action.tool', op: '==', value: 'pay' } });
    issue('1');
    put({ event: 'rule.removed', ruleId: 's' });
    policy({ id: 'small', maxCostPerCall: 100 });
    const dear = { mandateId: 'mnd_1', estimatedCostMicros: 2_000_000 };
    expect(ask({ ...dear, tool: 'pay' })).toMatchObject({
      refusal: { code: 'COST_LIMIT_EXCEEDED' },
      mandate: { rules: ['r', 's'], policies: ['p@1', 'small@1'] },
    });
    expect(ask({ ...dear, tool: 'read' })).toMatchObject({ refusal: null, mandate: { policies: ['p@1'] } });
  });

  test('that is made of such rules alone allows what one of them matches', () => {
    const { agent, policy, rule, issue, ask } = tenant();
    agent();
    policy();
    expect(issue('1')).toBe(false);
    rule({ when: { field: 'action.tool', op: '==', value: 'read' } });
    expect(issue('1')).toBe(true);
    expect(codeOf(ask({ mandateId: 'mnd_1' }))).toBe('ALLOWED');
    expect(ask({ mandateId: 'mnd_1', tool: 'send' }).refusal).toMatchObject({
      code: 'MANDATE_NOT_FOUND',
      reason: expect.stringContaining('No rule that the mandate'),
    });
  });

  test('ends where a rule that could match begins or ends', () => {
    const at = (ms: number) => wireTime(START_MS + ms);
    const { agent, policy, rule, mandate, issue, ask } = tenant();
    agent();
    policy();
    rule({ startsAt: at(-1_000), endsAt: at(60_000) });
    expect(mandate('1')?.expiresAt).toBe(at(60_000));
    rule({ id: 'elsewhere', agents: ['other'], endsAt: at(1_000) });
    rule({ id: 'not-now', when: { field: 'context.a', op: 'exists' }, startsAt: at(20_000) });
    expect(mandate('1', { a: '1' })?.expiresAt).toBe(at(20_000));
    issue('1', { a: '1' });
    expect(ask({ mandateId: 'mnd_1' })).toMatchObject({ refusal: null, holdsUntilMs: START_MS + 20_000 });
    // A ledger whose clock is behind ours asks what was found all the same.
    expect(codeOf(ask({ mandateId: 'mnd_1' }, START_MS - 5_000))).toBe('ALLOWED');
  });

  test('is refused where a rule names a policy that is not there', () => {
    const { rule, issue } = governed();
    rule({ id: 's', policy: 'gone' });
    expect(issue('1')).toBe(false);
    rule({ id: 's', policy: 'gone', mode: 'shadow' });
    expect(issue('1')).toBe(true);
  });
});

describe('the fold takes', () => {
  const wrong: [string, string, (made: object) => object, object?][] = [
    ['one that lasts too long', 'MANDATE_UNFIT', (made) => ({ ...made, ttlMs: CAPS.mandateTtlMs + 1 })],
    ['one that lasts longer than was asked', 'MANDATE_UNFIT', (made) => ({ ...made, ttlMs: TTL_MS - 1 })],
    ['one that has ended', 'MANDATE_UNFIT', (made) => ({ ...made, expiresAt: wireTime(START_MS) })],
    ['one of nothing', 'MANDATE_UNFIT', (made) => ({ ...made, rules: [] })],
    ['one of the future', 'MANDATE_UNFIT', (made) => ({ ...made, foundAt: 1_000 })],
    ['one of nobody', 'NOT_FOUND', (made) => ({ ...made, agentId: 'nobody' })],
    ['one that was found before a change', 'REVISION_CONFLICT', (made) => ({ ...made, foundAt: 2 })],
    ...[
      { rule: 'gone', policy: 'p@1', mode: 'enforce' },
      { rule: 'r', policy: 'p@2', mode: 'enforce' },
      { rule: 'r', policy: 'q@1', mode: 'enforce' },
      { rule: 'r', policy: 'p@1', mode: 'observe' },
      { rule: 'later', policy: 'p@1', mode: 'shadow' },
    ].map((one): [string, string, (made: object) => object] => [
      `one of ${JSON.stringify(one)}`,
      'MANDATE_UNFIT',
      (made) => ({ ...made, rules: [one] }),
    ]),
  ];
  test.each(wrong)('not %s', (_, refusal, changed) => {
    const { policy, rule, put, mandate, fold } = governed();
    policy({ id: 'q' });
    rule({ id: 'later', mode: 'shadow' });
    const made = mandate('1') ?? {};
    expect(put({ event: 'mandate.issued', mandate: changed(made) })).toMatchObject({ ok: false, refusal });
    expect(fold.tenant('acme').issued.byId.size).toBe(0);
    const anew = { ...made, foundAt: fold.tenant('acme').revision };
    expect(put({ event: 'mandate.issued', mandate: anew })).toMatchObject({ ok: true });
  });

  test('none that was found before a rule, a policy or the agent was changed', () => {
    const { agent, policy, rule, archive, put, mandate } = governed();
    for (const change of [agent, policy, rule, archive]) {
      const made = mandate('1');
      change();
      if (made !== null)
        expect(put({ event: 'mandate.issued', mandate: made })).toMatchObject({
          refusal: 'REVISION_CONFLICT',
        });
    }
  });

  test('the same request once, though another id was drawn for it', () => {
    const { put, mandate, revoke, fold, passes } = governed();
    const change = { id: 'chg-of-a-key' };
    const first = put({ event: 'mandate.issued', mandate: mandate('1') }, change);
    passes(1_000);
    expect(put({ event: 'mandate.issued', mandate: mandate('2') }, change)).toEqual(first);
    expect([...fold.tenant('acme').issued.byId.keys()]).toEqual(['mnd_1']);
    for (const other of [mandate('3', { a: 'b' }), { ...mandate('3'), ttlMs: TTL_MS + 1 }])
      expect(put({ event: 'mandate.issued', mandate: other }, change)).toMatchObject({
        refusal: 'ID_REUSED',
      });
    expect(revoke('9')).toMatchObject({ refusal: 'NOT_FOUND' });
  });
});

describe('of a tenant', () => {
  /** Without looking for rules each time. */
  function many() {
    const made = governed();
    const first = made.mandate('1') ?? {};
    let issued = 0;
    return {
      ...made,
      issueAt(atMs: number) {
        issued += 1;
        const expiresAt = wireTime(atMs + 60_000);
        const mandate = { ...first, id: `mnd_${issued}`, context: { n: issued }, expiresAt };
        const change = { id: `i-${issued}`, tenant: 'acme', by: '', reason: '', at: wireTime(atMs) };
        const record = { event: 'mandate.issued', mandate, change } as unknown as ControlRecord;
        return made.fold.apply(record, 100_000 + issued).ok;
      },
    };
  }

  test('there are so many mandates and no more, and room again where one is revoked, or has ended', () => {
    const { issueAt, revoke } = many();
    let taken = 0;
    for (let at = 0; at <= CAPS.issuedMandates; at += 1) if (issueAt(START_MS)) taken += 1;
    expect(taken).toBe(CAPS.issuedMandates);
    expect(issueAt(START_MS + 59_999)).toBe(false);
    revoke('7');
    expect([issueAt(START_MS), issueAt(START_MS)]).toEqual([true, false]);
    expect(issueAt(START_MS + 60_000)).toBe(true);
  });

  test('those that are over are forgotten by the times of later ones, and allow nothing', () => {
    const { issueAt, fold, ask } = many();
    const { byId } = fold.tenant('acme').issued;
    for (let at = 0; at < 900; at += 1) issueAt(START_MS);
    for (let at = 0; at < 99; at += 1) issueAt(START_MS + 30_000);
    issueAt(START_MS + 60_000);
    expect(ask({ mandateId: 'mnd_1' }, START_MS + 60_000).refusal).toMatchObject({ code: 'MANDATE_EXPIRED' });
    issueAt(START_MS + 60_000);
    expect([byId.size, byId.has('mnd_900'), byId.has('mnd_901')]).toEqual([101, false, true]);
    expect(codeOf(ask({ mandateId: 'mnd_1' }))).toBe('MANDATE_NOT_FOUND');
    expect(codeOf(ask({ mandateId: 'mnd_901' }))).toBe('ALLOWED');
  });
});

describe('what mandates are made of', () => {
  const unitsOf = (document: object) => JSON.stringify(document).length;
  const unitsIn = ({ byId }: TenantControl['issued']) => {
    const parts = [...byId.values()].flatMap(({ agent, rules }) => [agent, ...rules.map(({ rule }) => rule)]);
    const documents = [...new Set<{ document: object }>([...byId.values(), ...parts])];
    return documents.reduce((sum, { document }) => sum + unitsOf(document), 0);
  };

  test('is counted once each, for as long as one is made of it', () => {
    const { agent, rule, issue, revoke, passes, put, fold } = governed();
    const { issued } = fold.tenant('acme');
    agent({ id: 'other' });
    rule({ id: 's', priority: 7 });
    for (const id of ['1', '2']) issue(id, { environment: 'prod' });
    rule({ priority: 100 });
    issue('3', {}, 'other');
    revoke('1');
    expect(issued.units).toBe(unitsIn(issued));
    put({ event: 'agent.retired', agentId: 'other' });
    expect(issued.units).toBe(unitsIn(issued));
    passes(TTL_MS);
    agent();
    for (let at = 4; at < 1_003; at += 1) issue(`${at}`);
    expect([issued.byId.size, issued.units]).toEqual([999, unitsIn(issued)]);
    put({ event: 'agent.retired', agentId: 'bot' });
    expect(issued.units).toBe(0);
  });

  test('is so much and no more, and room again once one is over', () => {
    const { agent, policy, rule, mandate, revoke, fold } = tenant();
    agent();
    policy({ id: 'p'.repeat(190) });
    for (let at = 0; at < CAPS.rulesPerMandate; at += 1)
      rule({ id: `${'r'.repeat(190)}${at}`, policy: 'p'.repeat(190) });
    const { issued } = fold.tenant('acme');
    const first = mandate('0');
    let asked = 0;
    const issue = () => {
      asked += 1;
      const made = { ...first, id: `mnd_${asked}` };
      const change = { id: `i-${asked}`, tenant: 'acme', by: '', reason: '', at: wireTime(START_MS) };
      const record = { event: 'mandate.issued', mandate: made, change } as ControlRecord;
      return fold.apply(record, 100_000 + asked);
    };
    while (issue().ok);
    expect(issue()).toMatchObject({ refusal: 'TOO_MANY' });
    expect([issued.byId.size, issued.units]).toEqual([asked - 2, unitsIn(issued)]);
    expect(issued.units).toBeGreaterThan(CAPS.controlUnits - 100_000);
    expect(issued.units).toBeLessThanOrEqual(CAPS.controlUnits);
    revoke('7');
    expect([issue().ok, issue().ok]).toEqual([true, false]);
  });

  test('is remembered of what was asked last, and of no more', () => {
    const { rule, issue, ask, fold } = governed();
    rule({ id: 's', when: { field: 'context.note', op: 'exists' } });
    issue('1');
    const looks = vi.spyOn(fold.tenant('acme').policies, 'get');
    const looked = (note: string) => {
      looks.mockClear();
      ask({ mandateId: 'mnd_1', context: { note } });
      return looks.mock.calls.length > 0;
    };
    for (let at = 0; at < 100; at += 1) expect(looked(`${at}`)).toBe(true);
    expect([looked('99'), looked('0')]).toEqual([false, true]);
  });
});

const condition = fc.oneof(
  fc.record({ field: fc.constant('agent.labels.tier'), op: fc.constant('=='), value: fc.constantFrom(1, 2) }),
  fc.record({
    field: fc.constantFrom('action.tool', 'context.environment', 'action.context.environment'),
    op: fc.constantFrom('==', '!='),
    value: fc.constantFrom('prod', 'send'),
  }),
  fc.constant({ field: 'context.environment', op: 'exists', value: false }),
);
const when = fc.oneof(
  condition,
  fc.record({ any: fc.array(condition, { maxLength: 2 }) }),
  fc.record({ all: fc.array(condition, { maxLength: 2 }) }),
  fc.record({ not: fc.array(condition, { maxLength: 2 }) }),
);
const CONTEXTS: readonly Record<string, string>[] = [{}, { environment: 'prod' }, { environment: 'dev' }];
const ACTIONS = ['send', 'read'].flatMap((tool) => CONTEXTS.map((context) => ({ tool, context })));

type Change = (made: ReturnType<typeof tenant>) => void;
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.constantFrom(1, 2).map(
    (tier): Change =>
      (made) =>
        made.agent({ labels: { tier } }),
  ),
  fc.record({ id: fc.constantFrom('p', 'q'), allowedTools: fc.subarray(['send', 'read']) }).map(
    (fields): Change =>
      (made) =>
        made.policy(fields),
  ),
  fc
    .record(
      {
        id: fc.constantFrom('r', 's', 't'),
        policy: fc.constantFrom('p', 'q', 'p@1'),
        mode: fc.constantFrom('enforce', 'enforce', 'observe', 'shadow'),
        when,
      },
      { requiredKeys: ['id', 'policy'] },
    )
    .map(
      (fields): Change =>
        (made) =>
          made.rule(fields),
    ),
  fc.constantFrom('r', 's', 't').map(
    (ruleId): Change =>
      (made) =>
        made.put({ event: 'rule.removed', ruleId }),
  ),
);

/** What it allows, and by what; not as which mandate. */
function essence(plan: Plan) {
  const { refusal, observe, limits, mandate } = plan;
  return { code: refusal?.code ?? null, observe, limits, policies: mandate?.policies, rules: mandate?.rules };
}

test('whatever is changed meanwhile, an action is decided as it was when its mandate was issued', () => {
  let compared = 0;
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 8, size: 'max' }),
      fc.constantFrom(...CONTEXTS),
      fc.array(change, { maxLength: 8, size: 'max' }),
      (before, issuedFor, after) => {
        const made = tenant();
        made.agent({ labels: { tier: 1 } });
        made.policy();
        made.policy({ id: 'q', allowedTools: ['read'] });
        made.rule();
        for (const one of before) one(made);
        const sames = ACTIONS.filter(
          ({ context }) =>
            context.environment === undefined ||
            issuedFor.environment === undefined ||
            context.environment === issuedFor.environment,
        );
        const then = sames.map(({ tool, context }) =>
          essence(made.ask({ tool, context: { ...context, ...issuedFor } })),
        );
        if (!made.issue('1', issuedFor)) {
          // Nobody loses by it: nothing was allowed.
          expect(then.map(({ code }) => code)).not.toContain(null);
          return;
        }
        for (const one of after) one(made);
        const now = sames.map((asked) => essence(made.ask({ ...asked, mandateId: 'mnd_1' })));
        expect(now).toEqual(then);
        compared += 1;
      },
    ),
    { numRuns: 300 },
  );
  expect(compared).toBeGreaterThan(100);
});

describe('with a decider', () => {
  function decider(made: ReturnType<typeof tenant>): Box {
    const box = deciderInABox([{}]);
    box.context = { ...box.context, control: () => made.mandates };
    return box;
  }
  let asked = 0;
  async function act(box: Box, fields: object = {}) {
    asked += 1;
    const record = asking({ id: `act-${asked}`, agentId: 'bot', tenant: 'acme', tool: 'read', ...fields });
    const [answer] = await box.answer([box.append(record)]);
    return decisionOf(answer);
  }

  test('an action is allowed, until the mandate is revoked', async () => {
    const made = governed();
    const box = decider(made);
    made.issue('1');
    expect(await act(box, { mandateId: 'mnd_1' })).toMatchObject({
      verdict: 'ALLOW',
      mandate: { id: 'mnd_1', rules: ['r'], policies: ['p@1'] },
    });
    made.revoke('1');
    expect(await act(box, { mandateId: 'mnd_1' })).toMatchObject({
      verdict: 'BLOCK',
      code: 'MANDATE_EXPIRED',
      hard: true,
    });
    expect(await act(box)).toMatchObject({ verdict: 'ALLOW' });
  });

  test("it ends by the ledger's clock, whatever the decider's says", async () => {
    const made = governed();
    const box = decider(made);
    box.context = { ...box.context, clock: () => START_MS };
    made.issue('1');
    box.clock.advance(TTL_MS - 1);
    expect(await act(box, { mandateId: 'mnd_1' })).toMatchObject({ verdict: 'ALLOW' });
    box.clock.advance(1);
    expect(await act(box, { mandateId: 'mnd_1' })).toMatchObject({ code: 'MANDATE_EXPIRED' });
  });

  test('one that is issued anew resets no counter', async () => {
    const made = governed({
      maxCostTotal: 3,
      budgets: [{ id: 'shared', scope: 'mandate', max: 2 }],
      rateLimit: { maxCalls: 4, windowMs: 3_600_000 },
    });
    made.agent({ id: 'other' });
    const box = decider(made);
    for (const id of ['1', '2', '3']) made.issue(id);
    made.issue('4', {}, 'other');
    const spend = async (mandateId: string, agentId = 'bot') => {
      const { code, reason } = await act(box, { mandateId, agentId, estimatedCostMicros: 1_000_000 });
      return `${code} ${reason.match(/"(\w+)"/)?.[1] ?? ''}`.trim();
    };
    expect(await spend('mnd_1')).toBe('ALLOWED');
    expect(await spend('mnd_2')).toBe('ALLOWED');
    expect(await spend('mnd_3')).toBe('COST_LIMIT_EXCEEDED shared');
    // All who hold the policy spend of it, under whichever mandate.
    expect(await spend('mnd_4', 'other')).toBe('COST_LIMIT_EXCEEDED shared');
    const { checks, reservation } = await act(box, { mandateId: 'mnd_1' });
    expect(reservation?.budgets.map(({ scope, subject }) => [scope, subject])).toEqual([
      ['agent', 'bot'],
      ['mandate', 'p'],
    ]);
    expect(checks).toContainEqual(
      expect.objectContaining({ check: 'mandate-rate', saw: expect.objectContaining({ calls: 2 }) }),
    );
  });
});

test('what one decides by is made once', () => {
  const made = governed();
  made.issue('1');
  const action = { id: 'x', agentId: 'bot', type: 'tool_call', tool: 'read', mandateId: 'mnd_1' } as const;
  const mandateOf = () => made.mandates.mandateFor('acme', action, START_MS).mandate;
  expect(mandateOf()).not.toBeNull();
  expect(mandateOf()).toBe(mandateOf());
});
