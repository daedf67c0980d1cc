/**
 * Tests which keys the gateway accepts, apart from scopes. interface/access.test.ts tests scopes, and ids of other
 * tenants, for every route.
 */
import { MandateError } from '@mandate/runtime';
import { readAccessRecord, TOPICS } from '@mandate/schemas';
import { busWith, waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { recordsOf, startGatewayPlane } from './support/gateway-plane.ts';

const MANDATES = `
version: 1
id: open
agents: ["*"]
`;

const action = { id: 'a-1', agentId: 'bot-1', type: 'tool_call', tool: 'look' };
const outcome = { actionId: 'a-1', agentId: 'bot-1', status: 'success' };
const budget = { scope: 'agent', subject: 'bot-1', id: 'total' };

test('refuses a body that names another tenant, and publishes nothing', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  for (const body of [
    { ...action, tenant: 'globex' },
    [action, { ...action, id: 'a-2', tenant: 'globex' }],
  ]) {
    const reply = await plane.call('publisher', 'POST', '/v1/actions', body);
    expect([reply.status, reply.body.code]).toEqual([403, 'TENANT_MISMATCH']);
  }
  const reported = await plane.call('publisher', 'POST', '/v1/outcomes', { ...outcome, tenant: 'globex' });
  expect([reported.status, reported.body.code]).toEqual([403, 'TENANT_MISMATCH']);
  expect(await plane.published()).toEqual([]);
  expect((await plane.call('publisher', 'POST', '/v1/actions', { ...action, tenant: 'acme' })).status).toBe(
    202,
  );
});

test('lets a key publish only for its own agents', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  for (const body of [{ ...action, agentId: 'other-1' }, [action, { ...action, agentId: 'other-1' }]]) {
    const reply = await plane.call('publisher', 'POST', '/v1/actions', body);
    expect([reply.status, reply.body.code]).toEqual([403, 'AGENT_NOT_ALLOWED']);
  }
  const reported = await plane.call('publisher', 'POST', '/v1/outcomes', { ...outcome, agentId: 'other-1' });
  expect([reported.status, reported.body.code]).toEqual([403, 'AGENT_NOT_ALLOWED']);
  expect(await plane.published()).toEqual([]);

  const status = await plane.call('publisher', 'GET', '/v1/agents/other-1/kill-status');
  expect([status.status, status.body.code]).toEqual([403, 'AGENT_NOT_ALLOWED']);
  expect((await plane.call('auditor', 'GET', '/v1/agents/other-1/kill-status')).status).toBe(200);
});

test('does not show a publisher the decision of another agent, or any key the decision of another tenant', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.decide();
  const theirs = { ...action, id: 'secret', agentId: 'other-1' };
  expect((await plane.call('owner', 'POST', '/v1/actions?waitMs=20000', theirs)).status).toBe(200);
  for (const key of ['publisher', 'stranger'] as const) {
    const reply = await plane.call(key, 'GET', '/v1/actions/secret');
    expect([key, reply.status, reply.body.code]).toEqual([key, 404, 'DECISION_NOT_FOUND']);
  }
  expect((await plane.call('auditor', 'GET', '/v1/actions/secret')).body.decision).toMatchObject({
    agentId: 'other-1',
  });
});

test('limits operators to their tenant; changes outside of the tenant need operate:all', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.call('stranger', 'POST', '/v1/agents/bot-1/kill', {});
  await plane.call('stranger', 'POST', '/v1/kill', { scope: 'tenant' });
  await plane.call('stranger', 'POST', '/v1/budgets/adjust', { budget, deltaMicros: 5, reason: 'test' });
  expect((await plane.call('publisher', 'GET', '/v1/agents/bot-1/kill-status')).body.killed).toBeNull();
  expect((await plane.call('operator', 'GET', '/v1/ledger/balances')).body.balances).toEqual([]);

  for (const path of ['/v1/kill', '/v1/revive']) {
    const reply = await plane.call('operator', 'POST', path, { scope: 'all' });
    expect([reply.status, reply.body.code]).toEqual([403, 'FORBIDDEN']);
  }
  for (const list of ['balances', 'open', 'unpublished']) {
    const other = await plane.call('operator', 'GET', `/v1/ledger/${list}?tenant=globex`);
    expect([other.status, other.body.code]).toEqual([403, 'TENANT_MISMATCH']);
    expect((await plane.call('owner', 'GET', `/v1/ledger/${list}?tenant=globex`)).status).toBe(200);
  }
  expect((await plane.call('owner', 'GET', '/v1/ledger/balances?tenant=globex')).body.balances).toHaveLength(
    1,
  );
  expect((await plane.call('stranger', 'GET', '/v1/ledger')).body.tenants).toEqual(['globex']);
});

test('records the read of another agent’s action before showing it; an agent’s read of its own action is not recorded', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.decide();
  expect((await plane.call('publisher', 'POST', '/v1/actions?waitMs=20000', action)).status).toBe(200);
  await plane.bus.append(TOPICS.actions, [{ key: null, value: 'no record' }]);
  await waitUntil('the dead letter', async () => (await recordsOf(plane.bus, TOPICS.deadLetters))[0]);
  const asked = [
    ['publisher', `/v1/actions/${action.id}`],
    ['auditor', `/v1/actions/${action.id}?agentId=${action.agentId}`],
    ['operator', '/v1/ledger/agents?limit=5'],
    ['owner', '/v1/dead-letters?before=WyJhZGFAZXhhbXBsZS5jb20iXQ'],
    ['owner', '/v1/dead-letters/0/0'],
  ] as const;
  for (const [key, path] of asked) await plane.call(key, 'GET', path);
  const reads = (await recordsOf(plane.bus, TOPICS.access)).map(({ value }) => readAccessRecord(value).read);
  expect(reads.map(({ key, route, parameters }) => [key?.name, route, parameters])).toEqual([
    ['auditor', '/v1/actions/:id', { id: action.id, agentId: action.agentId }],
    ['operator', '/v1/ledger/agents', { limit: '5' }],
    ['owner', '/v1/dead-letters', { limit: '50', before: 'WyJhZGFAZXhhbXBsZS5jb20iXQ' }],
    ['owner', '/v1/dead-letters/:partition/:offset', { partition: '0', offset: '0' }],
  ]);
});

test('records each refused request once, and does not record the content of requests about persons', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  const asked = [
    ['operator', 'GET', '/v1/dead-letters/0/7?more=1', { partition: '0', offset: '7', more: '1' }],
    ['auditor', 'POST', '/v1/actions', {}, action],
    ['publisher', 'POST', '/v1/actions', { waitMs: '0' }, { ...action, tenant: 'globex' }],
    ['publisher', 'POST', '/v1/outcomes', { waitMs: '0' }, { ...outcome, agentId: 'other-1' }],
    ['publisher', 'GET', '/v1/agents/other-1/kill-status', { id: 'other-1' }],
    ['operator', 'POST', '/v1/kill', { dryRun: 'false' }, { scope: 'all' }],
    ['operator', 'POST', '/v1/revive', { dryRun: 'false' }, { scope: 'all' }],
    ['operator', 'GET', '/v1/ledger/open?tenant=globex', { tenant: 'globex', limit: '100' }],
    ['operator', 'POST', '/v1/persons/find?person=mia', {}, { person: 'mia_li_3668' }],
    ['publisher', 'POST', '/v1/persons/erase', {}, { person: 'mia_li_3668' }],
  ] as const;
  for (const [key, method, path, , body] of asked)
    expect([path, (await plane.call(key, method, path, body)).status]).toEqual([path, 403]);
  const records = await recordsOf(plane.bus, TOPICS.access);
  const reads = records.map(({ value }) => readAccessRecord(value).read);
  expect(
    reads.map(({ key, method, parameters, refused }) => [key?.name, method, parameters, refused]),
  ).toEqual(asked.map(([key, method, , parameters]) => [key, method, parameters, true]));
  expect(records.map(({ value }) => new TextDecoder().decode(value)).join()).not.toContain('mia');
});

test('shows no other agent’s action while the read cannot be recorded', async () => {
  const plane = await startGatewayPlane({
    mandates: MANDATES,
    between: ({ bus, ledger }) => ({
      ledger,
      bus: busWith(bus, {
        append: async (topic, records) => {
          if (topic !== TOPICS.access) return bus.append(topic, records);
          throw new MandateError('BUS_UNAVAILABLE', 'away', { remedy: 'wait', retryable: true });
        },
      }),
    }),
  });
  await plane.decide();
  expect((await plane.call('publisher', 'POST', '/v1/actions?waitMs=20000', action)).status).toBe(200);
  for (const [key, path] of [
    ['auditor', `/v1/actions/${action.id}`],
    ['auditor', '/v1/ledger/agents'],
    ['owner', '/v1/dead-letters'],
    ['owner', '/v1/dead-letters/0/0'],
  ] as const) {
    const { status, body } = await plane.call(key, 'GET', path);
    expect([path, status, body.code]).toEqual([path, 503, 'READ_NOT_RECORDED']);
  }
  const refused = await plane.call('operator', 'POST', '/v1/persons/find', {});
  expect([refused.status, refused.body.code]).toEqual([503, 'READ_NOT_RECORDED']);
  expect((await plane.call('publisher', 'GET', `/v1/actions/${action.id}`)).status).toBe(200);
});
