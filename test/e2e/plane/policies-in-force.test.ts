/**
 * Changes agents, policies and rules over HTTP while a plane runs. The next action of an agent obeys the change. The
 * cases often cause bugs: overlapping patterns, rates of two windows, an archived policy, no rule at all.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqliteBus } from '@mandate/bus';
import { dataFolder, silentLogger } from '@mandate/runtime';
import { type ApiScope, readDecisionsRecord, TOPICS, topicOfTenant } from '@mandate/schemas';
import { fileKeyStore, issueApiKey } from '@mandate/server';
import { type PlaneProcess, startPlane, waitUntil } from '@mandate/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

type Decision = {
  id: string;
  verdict: string;
  code: string;
  reason: string;
  controlRevision: number;
  mandate: object | null;
  checks: { check: string; said: string; policy?: string; evidence?: object }[];
  shadow?: object;
};

let plane: PlaneProcess;
const folder = dataFolder(mkdtempSync(join(tmpdir(), 'mandate-test-')));
beforeAll(async () => {
  writeFileSync(folder.mandates, 'version: 1\nid: of-the-file\nagents: ["*"]\nallowedTools: [look]\n');
  plane = await startPlane({ data: folder.path });
});
afterAll(async () => {
  await plane?.kill('SIGTERM');
  rmSync(folder.path, { recursive: true, force: true });
});

const SCOPES: ApiScope[] = ['publish', 'report', 'audit', 'operate', 'operate:all', 'author'];

/** Makes a new tenant with one key that has all scopes. Returns functions that use this key. */
async function scene() {
  const { key, record } = issueApiKey({ tenant: randomUUID(), scopes: SCOPES, agents: ['*'], name: 'all' });
  await fileKeyStore(folder.keys).add(record);

  async function send(
    method: string,
    path: string,
    body?: object,
    asWhom = key,
  ): Promise<Record<string, unknown>> {
    const response = await fetch(`${plane.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${asWhom}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer;
  }
  let asked = 0;
  async function ask(action: object, asWhom?: string): Promise<Decision> {
    asked += 1;
    const whole = { id: `act-${asked}`, agentId: 'bot', type: 'tool_call', ...action };
    const { decision } = await send('POST', '/v1/actions?waitMs=20000', whole, asWhom);
    return decision as Decision;
  }
  const publish = (id: string, policy: object) =>
    send('PUT', `/v1/policies/${id}`, { version: 1, id, ...policy });
  const rule = (id: string, policy: string, more: object = {}) =>
    send('PUT', `/v1/rules/${id}`, { version: 1, id, policy, ...more });
  const toldOf = async (action: object) => {
    const { verdict, code } = await ask(action);
    return `${verdict} ${code}`;
  };
  return {
    send,
    ask,
    toldOf,
    publish,
    rule,
    register: (agent: object) => send('POST', '/v1/agents', agent),
  };
}

test('the next action obeys a published policy, and an agent that is not registered keeps the mandate of the file', async () => {
  const { send, ask, toldOf, publish, rule, register } = await scene();
  expect(await toldOf({ tool: 'look' })).toBe('ALLOW ALLOWED');
  expect(await toldOf({ tool: 'read_file' })).toBe('BLOCK TOOL_NOT_ALLOWED');

  await register({ id: 'bot', groups: ['support'] });
  // No rule matches this action. The mandates file does not apply, because the agent is registered.
  expect(await ask({ tool: 'look' })).toMatchObject({ code: 'MANDATE_NOT_FOUND', mandate: null });
  expect(await toldOf({ type: 'llm_call', model: 'gpt-4o', inputTokens: 1, maxOutputTokens: 1 })).toBe(
    'BLOCK MANDATE_NOT_FOUND',
  );
  expect(await toldOf({ agentId: 'other', tool: 'look' })).toBe('ALLOW ALLOWED');

  await publish('reads', { allowedTools: ['read_*'] });
  const { revision } = await rule('support-reads', 'reads', { groups: ['support'] });
  expect(await ask({ tool: 'read_file' })).toMatchObject({
    verdict: 'ALLOW',
    controlRevision: revision,
    mandate: { policies: ['reads@1'], rules: ['support-reads'] },
  });
  const oneFile = { version: 1, id: 'one-file', allowedTools: ['read_file'] };
  await send('PUT', '/v1/policies/one-file?reason=ticket%204711', oneFile);
  await rule('one', 'one-file');
  expect(await toldOf({ tool: 'read_file' })).toBe('ALLOW ALLOWED');
  const refused = await ask({ tool: 'read_mail' });
  expect(refused).toMatchObject({
    code: 'TOOL_NOT_ALLOWED',
    reason: expect.stringContaining('This comes from the policy "one-file@1", which the rule "one" gives.'),
    mandate: {
      grantedBy: [
        { policy: 'one-file@1', rules: ['one'] },
        { policy: 'reads@1', rules: ['support-reads'] },
      ],
    },
  });
  await expect
    .poll(() => send('GET', `/v1/audit/decisions/${refused.id}/explain`).catch(() => null), {
      timeout: 30_000,
    })
    .toMatchObject({
      policyVersions: [
        {
          policy: 'one-file@1',
          published: { by: expect.stringMatching(/^all \(\S+\)$/), reason: 'ticket 4711' },
        },
        { policy: 'reads@1', published: { reason: expect.any(String) } },
      ],
      checks: expect.arrayContaining([
        expect.objectContaining({
          result: 'block',
          bound: expect.objectContaining({ policy: 'one-file@1', rules: ['one'] }),
        }),
      ]),
    });

  await publish('one-file', { allowedTools: ['read_*'] });
  expect(await toldOf({ tool: 'read_mail' })).toBe('ALLOW ALLOWED');
  await send('DELETE', '/v1/policies/one-file?forced=true');
  expect(await ask({ tool: 'read_file' })).toMatchObject({ verdict: 'BLOCK', code: 'MANDATE_NOT_FOUND' });
  await send('DELETE', '/v1/rules/one');
  expect(await toldOf({ tool: 'read_file' })).toBe('ALLOW ALLOWED');

  const issued = (await send('POST', '/v1/grants/issue', { agentId: 'bot' })).grant as { id: string };
  await publish('reads', { allowedTools: [] });
  const underIt = { tool: 'read_file', mandateId: issued.id };
  expect(await ask(underIt)).toMatchObject({
    verdict: 'ALLOW',
    mandate: { id: issued.id, policies: ['reads@1'], rules: ['support-reads'] },
  });
  expect(await toldOf({ tool: 'read_file' })).toBe('BLOCK TOOL_NOT_ALLOWED');
  await send('POST', `/v1/grants/${issued.id}/revoke`);
  expect(await toldOf(underIt)).toBe('BLOCK MANDATE_EXPIRED');

  await send('DELETE', '/v1/agents/bot');
  expect(await toldOf({ tool: 'read_file' })).toBe('BLOCK MANDATE_NOT_FOUND');
  expect(await toldOf(underIt)).toBe('BLOCK MANDATE_NOT_FOUND');
});

test('a parent and its descendants spend one budget and are killed together, even those registered later', async () => {
  const { send, ask, toldOf, publish, rule, register } = await scene();
  await publish('all', {});
  await rule('all', 'all');
  await publish('purse', { maxCostTotal: 0.5 });
  await rule('purse', 'purse', { agents: ['lead'] });
  await register({ id: 'lead' });
  await register({ id: 'bot', parent: 'lead' });
  const costs = (agentId: string) => ask({ agentId, tool: 'look', estimatedCostMicros: 200_000 });
  expect([await costs('lead'), await costs('bot')]).toMatchObject([
    { verdict: 'ALLOW' },
    { verdict: 'ALLOW' },
  ]);
  expect(await costs('bot')).toMatchObject({
    code: 'COST_LIMIT_EXCEEDED',
    reason: expect.stringContaining('of "lead" is $0.50'),
  });
  await publish('team', { budgets: [{ id: 'team', scope: 'tenant', max: 0.4 }] });
  await publish('wide', { budgets: [{ id: 'team', scope: 'tenant', max: 9 }] });
  for (const id of ['team', 'wide']) await rule(id, id, { agents: ['lead'] });
  const { checks } = await costs('lead');
  expect(checks.find(({ policy }) => policy === 'team@1')).toMatchObject({
    result: 'pass',
    evidence: {
      costMicros: 200_000,
      otherLimits: [{ policy: 'wide@1', maxMicros: 9_000_000, result: 'pass' }],
    },
  });

  const killed = await send('POST', '/v1/agents/lead/kill', { subtree: true, reason: 'runs amok' });
  expect(killed).toMatchObject({
    target: { scope: 'subtree', agentId: 'lead' },
    open: [{ agentId: 'lead' }, { agentId: 'bot' }],
  });
  await register({ id: 'hand', parent: 'bot' });
  await register({ id: 'other' });
  const acts = () =>
    Promise.all(['lead', 'bot', 'hand', 'other'].map((agentId) => toldOf({ agentId, tool: 'look' })));
  const stopped = 'BLOCK AGENT_KILLED';
  expect(await acts()).toEqual([stopped, stopped, stopped, 'ALLOW ALLOWED']);
  expect((await ask({ agentId: 'hand', tool: 'look' })).reason).toBe(
    'The agent "lead", with all its descendants, was stopped by the kill switch: runs amok',
  );
  const flag = { scope: 'subtree', agentId: 'lead', revision: 1, reason: 'runs amok' };
  expect(await send('GET', '/v1/agents/hand/kill-status')).toMatchObject({ agentId: 'hand', killed: flag });
  // An agent that was killed as a descendant stays killed, even if it then gets no parent or another parent.
  await send('PUT', '/v1/agents/bot', { id: 'bot' });
  await send('DELETE', '/v1/agents/hand');
  await send('PUT', '/v1/agents/hand', { id: 'hand', parent: 'other' });
  expect(await acts()).toEqual([stopped, stopped, stopped, 'ALLOW ALLOWED']);
  expect((await ask({ agentId: 'bot', tool: 'look' })).reason).toBe(
    'The agent "lead", with all its descendants at that time, this agent included, was stopped by the kill switch: runs amok',
  );
  expect(await send('GET', '/v1/agents/hand/kill-status')).toMatchObject({ agentId: 'hand', killed: flag });
  // The lead was killed together with its descendants, so a revive of the lead alone changes nothing.
  expect(await send('POST', '/v1/agents/lead/revive', {})).toMatchObject({ changed: false, killed: flag });
  expect(await send('POST', '/v1/agents/lead/revive', { subtree: true })).toMatchObject({
    changed: true,
    killed: null,
  });
  expect(await acts()).toEqual(Array.from({ length: 4 }, () => 'ALLOW ALLOWED'));
});

test('an action cannot contradict a value that its key pins; the record shows the pin, and rules can require it', async () => {
  const { send, toldOf, publish, rule, register, ask } = await scene();
  await publish('reads', { allowedTools: ['read_file'] });
  const inProd = { field: 'context.environment', op: '==', value: 'prod' };
  const isPinned = { field: 'action.pinned', op: 'contains', value: 'context.environment' };
  await rule('in-prod', 'reads', { when: { all: [inProd, isPinned] } });
  await register({ id: 'bot' });
  // The agent only claims this environment. The rule applies only if the key pins the value.
  const claimed = { tool: 'read_file', context: { environment: 'prod' } };
  expect(await toldOf(claimed)).toBe('BLOCK MANDATE_NOT_FOUND');
  const pins = { context: { environment: 'prod' }, principal: { id: 'ann', role: 'user' } };
  const { key } = (await send('POST', '/v1/agents/bot/keys', { pins, expiresInMs: 3_600_000 })) as {
    key: { id: string; key: string };
  };
  expect((await send('GET', '/v1/agents/bot/keys')).keys).toContainEqual({
    id: key.id,
    createdAt: expect.any(String),
    expiresAt: expect.any(String),
    pins,
  });
  const decision = await ask({ tool: 'read_file' }, key.key);
  expect(decision).toMatchObject({
    verdict: 'ALLOW',
    mandate: { grantedBy: [{ policy: 'reads@1', rules: ['in-prod'], claims: ['context.environment'] }] },
    action: {
      context: { environment: 'prod' },
      principal: { id: 'ann', role: 'user' },
      pinned: ['context.environment', 'action.principal'],
      pinnedBy: key.id,
    },
  });
  const other = { agentId: 'bot', type: 'tool_call', tool: 'read_file', id: 'other' };
  const elsewhere = { ...other, context: { environment: 'dev' } };
  await expect(send('POST', '/v1/actions', elsewhere, key.key)).rejects.toThrow('PINNED_BY_KEY');
});

test('two rates with different windows both apply, and a shadow rule does not', async () => {
  const { send, ask, toldOf, publish, rule, register } = await scene();
  await register({ id: 'bot' });
  await publish('hourly', { rateLimit: { maxCalls: 3, windowMs: 3_600_000 } });
  await publish('each-second', { rateLimit: { maxCalls: 100, windowMs: 1_000 } });
  await rule('slow', 'hourly');
  await rule('fast', 'each-second');
  // The record shows the verdict of the shadow rule. The decision does not change.
  await publish('nothing', { deniedTools: ['*'] });
  await rule('soon', 'nothing', { mode: 'shadow' });
  const besides = { verdict: 'BLOCK', code: 'TOOL_DENIED', rules: ['soon'], policies: ['nothing@1'] };
  const { verdict, code, shadow } = await ask({ tool: 'look' });
  expect(shadow).toEqual({ ...besides, unknownLimits: 0 });
  const told = [`${verdict} ${code}`];
  for (let call = 1; call < 5; call += 1) told.push(await toldOf({ tool: 'look' }));
  expect(told).toEqual([...Array(3).fill('ALLOW ALLOWED'), ...Array(2).fill('BLOCK RATE_LIMIT_EXCEEDED')]);
  const differing = async () => (await send('GET', '/v1/audit/decisions?shadow=differs')).decisions;
  const found = {
    verdict: 'ALLOW',
    shadowVerdict: 'BLOCK',
    shadowCode: 'TOOL_DENIED',
    shadowRules: ['soon'],
  };
  await expect.poll(differing, { timeout: 30_000 }).toMatchObject([found, found, found]);
  expect(await send('GET', '/v1/audit/analytics/verdicts?shadow=differs')).toMatchObject({
    verdicts: [{ verdict: 'ALLOW', decisions: 3 }],
  });
  const [{ id }] = (await differing()) as [{ id: string }];
  expect(await send('GET', `/v1/audit/decisions/${id}/explain`)).toMatchObject({
    decision: { shadow: besides },
  });
});

test('actions on the own topic of a new tenant are decided without a restart', async () => {
  const { send } = await scene();
  const bus = await createSqliteBus({ path: folder.log, log: silentLogger() });
  onTestFinished(() => bus.close());
  const action = { id: 'act-1', agentId: 'bot', type: 'tool_call', tool: 'look' };
  const value = JSON.stringify({ event: 'action.requested', action });
  await bus.append(topicOfTenant('initech'), [{ key: null, value }]);
  await send('POST', '/v1/tenants', { version: 1, id: 'initech', directTopic: true });
  const decided: object[] = [];
  const reader = await bus.read({
    topics: [TOPICS.decisions],
    from: 'earliest',
    onRecords(records) {
      for (const record of records.map((each) => readDecisionsRecord(each.value)))
        if (record.event === 'action.decided' && record.decision.tenant === 'initech')
          decided.push(record.decision);
    },
  });
  onTestFinished(() => reader.stop());
  await waitUntil('its decision', () => decided.length > 0);
  expect(decided).toMatchObject([{ actionId: 'act-1', verdict: 'ALLOW' }]);
});
