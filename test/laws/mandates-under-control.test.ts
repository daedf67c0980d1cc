/** Tests that the control topic decides what agents may do. Each change applies from its log position on. */

import { agentRegister, foldControl, mandatesByRegister, mandatesUnderControl } from '@mandate/control';
import { mandatesOfFile, planInForce } from '@mandate/policy';
import { loadMandates } from '@mandate/policy/documents';
import { type ControlRecord, controlRecord } from '@mandate/schemas';
import { runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { START_MS } from '../decider-in-a-box.ts';

const CHANGE = { tenant: 'acme', by: 'ann', reason: '', at: '2026-03-01T12:00:00.000Z' };

let changes = 0;

function changed(fields: object): ControlRecord {
  changes += 1;
  return controlRecord.parse({ change: { id: `chg-${changes}`, ...CHANGE }, ...fields });
}

const agent = (fields: object) => changed({ event: 'agent.put', agent: { id: 'a', ...fields } });
const policy = (fields: object) =>
  changed({ event: 'policy.published', policy: { version: 1, id: 'p', ...fields } });
const rule = (fields: object) =>
  changed({ event: 'rule.put', rule: { version: 1, id: 'r', policy: 'p', ...fields } });

/** Returns functions that apply records and plan actions, like a decider that has read the control topic so far. */
function follower(...records: readonly ControlRecord[]) {
  const fold = foldControl();
  let revision = 0;
  const mandates = mandatesUnderControl(fold, () => revision);
  const follow = (record: ControlRecord) => {
    revision += 1;
    return fold.apply(record, revision);
  };
  records.forEach(follow);
  const ask = (tool: string, agentId = 'a', context?: Record<string, string>, atMs = START_MS) =>
    planInForce(
      mandates,
      'acme',
      { id: 'x', agentId, type: 'tool_call', tool, ...(context && { context }) },
      atMs,
    );
  return { fold, follow, ask };
}

function said(made: ReturnType<ReturnType<typeof follower>['ask']>) {
  return [made.refusal?.code ?? 'ALLOWED', ...(made.mandate?.policies ?? [])];
}

test('after a new policy version, the next action is decided under it', () => {
  const { follow, ask } = follower(agent({}), policy({ allowedTools: ['read_*'] }), rule({}));
  expect(said(ask('send'))).toEqual(['TOOL_NOT_ALLOWED', 'p@1']);
  follow(policy({ allowedTools: ['send'] }));
  expect(said(ask('send'))).toEqual(['ALLOWED', 'p@2']);
});

test('a rule that names a policy version keeps that version', () => {
  const { follow, ask } = follower(agent({}), policy({ allowedTools: ['read_*'] }), rule({ policy: 'p@1' }));
  follow(policy({ allowedTools: ['send'] }));
  expect(said(ask('send'))).toEqual(['TOOL_NOT_ALLOWED', 'p@1']);
});

test('an archived policy blocks what its rules match, until it is published again', () => {
  const { follow, ask } = follower(agent({}), policy({}), rule({}));
  follow(changed({ event: 'policy.archived', policyId: 'p', forced: true }));
  expect(said(ask('send'))).toEqual(['MANDATE_NOT_FOUND', 'p']);
  follow(policy({}));
  expect(said(ask('send'))).toEqual(['ALLOWED', 'p@2']);
});

test('rules apply to an agent after its registration, and the mandates file to agents that were never registered', () => {
  const fold = foldControl();
  const loaded = loadMandates('version: 1\nid: of-the-file\nagents: ["*", b]\n');
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  const controlled = mandatesUnderControl(fold, () => 9);
  const mandates = mandatesByRegister(controlled, mandatesOfFile(loaded.mandates, 4));
  const told = (agentId: string) => {
    const action = { id: 'x', agentId, type: 'tool_call', tool: 'look' } as const;
    const { mandate } = mandates.mandateFor('acme', action, START_MS);
    return [mandate?.reference.id ?? null, mandates.revision];
  };
  expect(told('a')).toEqual(['of-the-file', 4]);
  fold.apply(agent({}), 1);
  expect([told('a'), told('b')]).toEqual([
    [null, 9],
    ['of-the-file', 4],
  ]);
  fold.apply(policy({}), 2);
  fold.apply(rule({}), 3);
  expect(told('a')).toEqual(['rules', 9]);
  const register = agentRegister(fold.tenant, () => loaded.mandates);
  const statuses = () => ['a', 'b', 'c'].map((agentId) => register.statusOf('acme', agentId));
  expect(statuses()).toEqual(['registered', 'named', null]);
  expect([...register.names('acme')].sort()).toEqual(['a', 'b']);
  fold.apply(changed({ event: 'agent.retired', agentId: 'a' }), 4);
  expect(told('a')).toEqual([null, 9]);
  expect(statuses()).toEqual(['retired', 'named', null]);
  expect([...register.names('acme')]).toEqual(['b']);
  const { refusal } = planInForce(
    mandates,
    'acme',
    { id: 'x', agentId: 'a', type: 'tool_call', tool: 'look' },
    START_MS,
  );
  expect(refusal).toMatchObject({ code: 'MANDATE_NOT_FOUND', reason: expect.stringContaining('retired') });
  fold.apply(agent({}), 5);
  expect(told('a')).toEqual(['rules', 9]);
  expect(statuses()).toEqual(['registered', 'named', null]);
});

test('an agent that is not registered has no mandate, and an agent without a matching rule has none', () => {
  const { follow, ask } = follower(agent({}), policy({}), rule({}));
  expect(said(ask('send', 'stranger'))).toEqual(['MANDATE_NOT_FOUND']);
  follow(changed({ event: 'rule.removed', ruleId: 'r' }));
  expect(said(ask('send'))).toEqual(['MANDATE_NOT_FOUND']);
  follow(rule({}));
  expect(said(ask('send'))).toEqual(['ALLOWED', 'p@1']);
  follow(changed({ event: 'agent.retired', agentId: 'a' }));
  expect(said(ask('send'))).toEqual(['MANDATE_NOT_FOUND']);
});

test('a plan is not valid longer than a rule that it uses', () => {
  const endsAt = new Date(START_MS + 5_000).toISOString();
  const { ask } = follower(agent({}), policy({}), rule({ endsAt }));
  expect(ask('send')).toMatchObject({ refusal: null, holdsUntilMs: START_MS + 5_000 });
  expect(ask('send', 'a', undefined, START_MS + 5_000)).toMatchObject({
    refusal: { code: 'MANDATE_NOT_FOUND' },
  });
});

test('if one policy allows a tool pattern and another allows one tool of this pattern, together they allow this tool only', () => {
  const { ask } = follower(
    agent({}),
    policy({ allowedTools: ['read_*'] }),
    rule({}),
    policy({ id: 'q', allowedTools: ['read_file'] }),
    rule({ id: 's', policy: 'q' }),
  );
  expect([said(ask('read_file'))[0], said(ask('read_mail'))[0]]).toEqual(['ALLOWED', 'TOOL_NOT_ALLOWED']);
});

test('ten calls an hour and a hundred calls a second are two separate limits', () => {
  const { ask } = follower(
    agent({}),
    policy({ rateLimit: { maxCalls: 10, windowMs: 3_600_000 } }),
    rule({}),
    policy({ id: 'q', rateLimit: { maxCalls: 100, windowMs: 1_000 } }),
    rule({ id: 's', policy: 'q' }),
  );
  const rates = ask('send').limits.filter(({ kind }) => kind === 'rate');
  expect(rates).toMatchObject([
    { maxCalls: 100, windowMs: 1_000, policy: 'q@1' },
    { maxCalls: 10, windowMs: 3_600_000, policy: 'p@1' },
  ]);
});

test('a rule that cannot be read blocks the agents that it names', () => {
  const when = { field: 'action.tool', op: 'matches', value: '(' };
  const asks = (fields: object) =>
    said(follower(agent({}), policy({}), rule({}), rule({ id: 's', when, ...fields })).ask('send'));
  expect(asks({})).toEqual(['MANDATE_NOT_FOUND', 'of rule s', 'p@1']);
  expect(asks({ agents: ['a'], mode: 'observe' })).toEqual(['MANDATE_NOT_FOUND', 'of rule s', 'p@1']);
  expect(asks({ agents: ['other'] })).toEqual(['ALLOWED', 'p@1']);
  expect(asks({ mode: 'shadow' })).toEqual(['ALLOWED', 'p@1']);
});

test('a rule in observe mode with a missing policy allows nothing', () => {
  const { ask } = follower(agent({}), rule({ mode: 'observe' }));
  expect(ask('send')).toMatchObject({ refusal: { code: 'MANDATE_NOT_FOUND' }, observe: false });
});

test('after a parent is changed, retired or registered again, its descendants get the limits of their new ancestors', () => {
  const { follow, ask } = follower(
    agent({ id: 'lead' }),
    agent({ parent: 'lead' }),
    policy({}),
    rule({}),
    policy({ id: 'q', allowedTools: ['read'] }),
    rule({ id: 's', policy: 'q', groups: ['readers'] }),
  );
  expect(said(ask('send'))).toEqual(['ALLOWED', 'p@1', 'p@1 of lead']);
  follow(agent({ id: 'lead', groups: ['readers'] }));
  expect(said(ask('send'))).toEqual(['TOOL_NOT_ALLOWED', 'p@1', 'p@1 of lead', 'q@1 of lead']);
  expect(said(ask('send', 'lead'))).toEqual(['TOOL_NOT_ALLOWED', 'p@1', 'q@1']);
  follow(changed({ event: 'agent.retired', agentId: 'lead' }));
  expect(said(ask('read'))).toEqual(['MANDATE_NOT_FOUND', 'p@1']);
  follow(agent({ id: 'lead' }));
  expect(said(ask('send'))).toEqual(['ALLOWED', 'p@1', 'p@1 of lead']);
  follow(agent({}));
  expect(said(ask('send'))).toEqual(['ALLOWED', 'p@1']);
});

test('a rule is evaluated for an ancestor as if the ancestor did the action', () => {
  const when = { field: 'action.agentId', op: '==', value: 'lead' };
  const context = { field: 'context.environment', op: '==', value: 'prod' };
  const { ask } = follower(
    agent({ id: 'lead' }),
    agent({ parent: 'lead' }),
    policy({}),
    rule({}),
    rule({ id: 's', when: { all: [when, context] }, policy: 'gone' }),
  );
  const prod = { environment: 'prod' };
  expect(said(ask('send', 'lead', prod))).toEqual(['MANDATE_NOT_FOUND', 'gone', 'p@1']);
  expect(said(ask('send', 'a', prod))).toEqual(['MANDATE_NOT_FOUND', 'p@1', 'gone of lead', 'p@1 of lead']);
  expect(said(ask('send'))[0]).toBe('ALLOWED');
});

test('a descendant’s plan is not valid longer than a rule of an ancestor that it uses', () => {
  const endsAt = new Date(START_MS + 5_000).toISOString();
  const { ask } = follower(
    agent({ id: 'lead' }),
    agent({ parent: 'lead' }),
    policy({}),
    rule({ agents: ['a'] }),
    rule({ id: 's', agents: ['lead'], endsAt }),
  );
  expect(ask('send')).toMatchObject({ refusal: null, holdsUntilMs: START_MS + 5_000 });
  expect(ask('send', 'a', undefined, START_MS + 5_000)).toMatchObject({
    refusal: { code: 'MANDATE_NOT_FOUND' },
    holdsFromMs: START_MS + 5_000,
  });
});

const change = fc.oneof(
  fc.record({ id: fc.constantFrom('a', 'b'), labels: fc.record({ tier: fc.constantFrom(1, 2) }) }).map(agent),
  fc.constantFrom('a', 'b').map((parent) => agent({ id: parent === 'a' ? 'b' : 'a', parent })),
  fc.constantFrom('a', 'b').map((agentId) => changed({ event: 'agent.retired', agentId })),
  fc.record({ id: fc.constantFrom('p', 'q'), allowedTools: fc.subarray(['send', 'read']) }).map(policy),
  fc.constantFrom('p', 'q').map((policyId) => changed({ event: 'policy.archived', policyId, forced: true })),
  fc
    .record(
      {
        id: fc.constantFrom('r', 's'),
        policy: fc.constantFrom('p', 'q', 'p@1', 'gone'),
        when: fc.constantFrom(
          { field: 'agent.labels.tier', op: '==', value: 1 },
          { field: 'context.environment', op: '!=', value: 'prod' },
        ),
      },
      { requiredKeys: ['id', 'policy'] },
    )
    .map(rule),
  fc.constantFrom('r', 's').map((ruleId) => changed({ event: 'rule.removed', ruleId })),
);

test('a process that followed every change plans like a process that starts now', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 15, size: 'max' }), (changes) => {
      const { fold, follow, ask } = follower();
      for (const one of changes) {
        follow(one);
        const fresh = mandatesUnderControl(fold, () => 0);
        for (const agentId of ['a', 'b'])
          for (const context of [undefined, { environment: 'prod' }, { environment: 'dev' }]) {
            const action = {
              id: 'x',
              agentId,
              type: 'tool_call' as const,
              tool: 'send',
              ...(context && { context }),
            };
            expect(ask('send', agentId, context)).toEqual(planInForce(fresh, 'acme', action, START_MS));
          }
      }
    }),
    { numRuns: runs(200) },
  );
});
