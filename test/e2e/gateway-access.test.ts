/** Who may call what: every route of the gateway, with no key, a key of the wrong scope, and one of another tenant. */
import { MandateError } from '@mandate/runtime';
import { readAccessRecord, TOPICS } from '@mandate/schemas';
import { busWith, waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { type KeyName, recordsOf, startGatewayPlane } from './gateway-plane.ts';
import { isStream, type OpenApi, operationsOf, requiredValues, urlOf } from './interface/described.ts';

const MANDATES = `
version: 1
id: open
agents: ["*"]
`;

const action = { id: 'a-1', agentId: 'bot-1', type: 'tool_call', tool: 'look' };
const outcome = { actionId: 'a-1', agentId: 'bot-1', status: 'success' };
const budget = { scope: 'agent', subject: 'bot-1', id: 'total' };

/** Each route, the scopes that open it, and a body that would do something. */
const ROUTES: readonly [method: string, path: string, scopes: readonly KeyName[], body?: unknown][] = [
  ['POST', '/v1/actions', ['publisher'], action],
  ['GET', '/v1/actions/a-1', ['publisher', 'auditor']],
  ['POST', '/v1/outcomes', ['publisher'], outcome],
  ['POST', '/v1/agents/bot-1/kill', ['operator'], {}],
  ['POST', '/v1/agents/bot-1/revive', ['operator'], {}],
  ['GET', '/v1/agents/bot-1/kill-status', ['publisher', 'auditor', 'operator']],
  ['POST', '/v1/kill', ['operator'], { scope: 'tenant' }],
  ['POST', '/v1/revive', ['operator'], { scope: 'tenant' }],
  ['POST', '/v1/budgets/adjust', ['operator'], { budget, deltaMicros: 1, reason: 'test' }],
  [
    'POST',
    '/v1/approvals',
    ['operator'],
    { agentId: 'bot-1', actionId: 'a-1', digest: 'd', answer: 'denied', reason: 'test' },
  ],
  ['GET', '/v1/ledger/agents', ['operator', 'auditor']],
  ['GET', '/v1/ledger', ['operator']],
  ['GET', '/v1/ledger/balances', ['operator']],
  ['GET', '/v1/ledger/open', ['operator']],
  ['GET', '/v1/ledger/unpublished', ['operator']],
  ['GET', '/v1/dead-letters', []],
  ['GET', '/v1/dead-letters/0/0', []],
  ['POST', '/v1/dead-letters/0/0/republish', []],
  ['POST', '/v1/persons/erase', ['protector'], { person: 'mia', reason: 'test' }],
  ['GET', '/v1/persons/erasures', ['protector', 'auditor']],
  ['POST', '/v1/persons/find', ['protector'], { person: 'mia' }],
  ['POST', '/v1/persons/unseal', ['protector'], { sealed: ['text'] }],
];

/** Answers that never end: who gets one is seen in kill-stream tests, who does not, here. */
const STREAMS: readonly [method: string, path: string, closed: KeyName][] = [
  ['GET', '/v1/kills/stream', 'auditor'],
];

const KEYS: readonly KeyName[] = ['publisher', 'auditor', 'operator', 'protector'];

test('the table names every route', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  const { paths } = (await plane.call(null, 'GET', '/openapi.json')).body;
  const documented = Object.entries(paths ?? {})
    .filter(([path]) => path.startsWith('/v1/'))
    .flatMap(([path, methods]) =>
      Object.keys(methods ?? {}).map((method) => `${method.toUpperCase()} ${path}`),
    );
  const tabled = [...ROUTES, ...STREAMS].map(([method, path]) => {
    const pattern = path
      .replace('/bot-1/', '/{id}/')
      .replace('/a-1', '/{id}')
      .replace('/0/0', '/{partition}/{offset}');
    return `${method} ${pattern}`;
  });
  expect(documented.sort()).toEqual(tabled.sort());
});

test('nobody gets in without a key, or with a key that lacks the scope; with it the route answers', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  for (const [method, path, opened, body] of ROUTES) {
    expect([path, (await plane.call(null, method, path, body)).status]).toEqual([path, 401]);
    for (const key of KEYS) {
      const { status, body: answer } = await plane.call(key, method, path, body);
      if (opened.includes(key))
        expect([path, key, status === 401 || status === 403]).toEqual([path, key, false]);
      else expect([path, key, status, answer.code]).toEqual([path, key, 403, 'FORBIDDEN']);
    }
  }
  for (const [method, path, closed] of STREAMS) {
    expect((await plane.call(null, method, path)).status).toBe(401);
    expect((await plane.call(closed, method, path)).status).toBe(403);
  }
  expect(await plane.ledger.killed('globex')).toEqual([]);
});

test('a body that names another tenant is refused, and nothing is published', async () => {
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

test('a key publishes for its own agents only', async () => {
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

test("another agent's decision does not exist for a publisher, nor another tenant's for anybody", async () => {
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

test("another tenant's id is answered as one that nobody has, wherever one may be named", async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.decide();
  const theirs = { ...action, id: 'theirs-1', agentId: 'theirs-1' };
  expect((await plane.call('stranger', 'POST', '/v1/actions?waitMs=20000', theirs)).status).toBe(200);
  expect((await plane.call('stranger', 'POST', '/v1/agents/theirs-1/kill', {})).status).toBe(200);
  const document = (await plane.call(null, 'GET', '/openapi.json')).body as unknown as OpenApi;
  const naming = operationsOf(document)
    .filter((one) => one.method === 'GET' && one.path.startsWith('/v1/') && !isStream(one))
    .map((one) => ({
      one,
      ids: (one.parameters ?? []).filter(
        ({ name, schema }) => schema.type === 'string' && /^(id|agent|agentId)$/.test(name),
      ),
    }))
    .filter(({ ids }) => ids.length > 0);
  expect(naming.map(({ one }) => one.path)).toEqual(
    expect.arrayContaining(['/v1/actions/{id}', '/v1/agents/{id}/kill-status']),
  );
  for (const { one, ids } of naming) {
    const ask = async (id: string) => {
      const values = new Map([...requiredValues(one), ...ids.map(({ name }) => [name, id] as const)]);
      const { status, body } = await plane.call('owner', 'GET', urlOf(one, values));
      const { requestId: _, ...rest } = body;
      return [one.path, status, JSON.stringify(rest).replaceAll(id, 'ID')];
    };
    expect(await ask('theirs-1')).toEqual(await ask('nobody-1'));
  }
});

test('what operators do stays in their tenant; what reaches beyond takes operate:all', async () => {
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

test('who sees what every agent did is on record before it is shown; an agent that asks after its own action is not', async () => {
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
  expect(reads.map(({ key, route, parameters }) => [key.name, route, parameters])).toEqual([
    ['auditor', '/v1/actions/:id', { id: action.id, agentId: action.agentId }],
    ['operator', '/v1/ledger/agents', { limit: '5' }],
    ['owner', '/v1/dead-letters', { limit: '50', before: 'WyJhZGFAZXhhbXBsZS5jb20iXQ' }],
    ['owner', '/v1/dead-letters/:partition/:offset', { partition: '0', offset: '0' }],
  ]);
});

test('whoever is turned away where others are told what agents did, or of people, is on record; elsewhere nobody is', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  const asked = [
    ['operator', 'GET', '/v1/dead-letters', '/v1/dead-letters'],
    ['auditor', 'GET', '/v1/dead-letters/0/7', '/v1/dead-letters/:partition/:offset'],
    ['protector', 'GET', '/v1/actions/a-1', '/v1/actions/:id'],
    ['publisher', 'GET', '/v1/ledger/agents', '/v1/ledger/agents'],
    ['operator', 'POST', '/v1/persons/find?person=mia', '/v1/persons/find'],
    ['auditor', 'POST', '/v1/persons/unseal', '/v1/persons/unseal'],
    ['publisher', 'POST', '/v1/persons/erase', '/v1/persons/erase'],
    ['operator', 'GET', '/v1/persons/erasures', '/v1/persons/erasures'],
    ['publisher', 'POST', '/v1/dead-letters/0/0/republish', null],
    ['auditor', 'POST', '/v1/actions', null],
  ] as const;
  for (const [key, method, path] of asked) {
    const body = method === 'POST' ? { person: 'mia_li_3668' } : undefined;
    expect([path, (await plane.call(key, method, path, body)).status]).toEqual([path, 403]);
  }
  const records = await recordsOf(plane.bus, TOPICS.access);
  const reads = records.map(({ value }) => readAccessRecord(value).read);
  expect(reads.map(({ key, method, route, refused }) => [key.name, method, route, refused])).toEqual(
    asked.flatMap(([key, method, , route]) => (route === null ? [] : [[key, method, route, true]])),
  );
  expect(records.map(({ value }) => new TextDecoder().decode(value)).join()).not.toContain('mia');
});

test('what every agent did is shown to nobody while it cannot be put on record', async () => {
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
