/** Tenants over HTTP: operators of the plane open, limit and close a tenant, and people of the tenant read it. */
import { expect, test } from 'vitest';
import { controlOn, openLog, type Sent, type Who } from './control-server.fixture.ts';

const ACME = { version: 1, id: 'acme' };

async function scene() {
  const { call, followed } = await controlOn(await openLog());
  const open = (fields: object = {}, sent: Sent = {}) =>
    call('owner', 'POST', '/v1/tenants', { body: { ...ACME, ...fields }, ...sent });
  const put = (fields: object = {}, sent: Sent = {}) =>
    call('owner', 'PUT', '/v1/tenants/acme', { body: { ...ACME, ...fields }, ...sent });
  const close = (who: Who = 'owner', id = 'acme') => call(who, 'DELETE', `/v1/tenants/${id}`);
  const agent = (id: string, who: Who = 'author') => call(who, 'POST', '/v1/agents', { body: { id } });
  return { call, followed, open, put, close, agent };
}

test('opens a tenant with a key of its first admin; the key is shown once and can issue all other keys', async () => {
  const { call, open } = await scene();
  const { status, etag, body } = await open({ name: 'Acme' }, { headers: { 'idempotency-key': 'o1' } });
  expect([status, etag]).toEqual([201, `"${body.revision}"`]);
  const holds = { agents: 0, policies: 0, rules: 0, grants: 0 };
  expect(body).toMatchObject({ tenant: { ...ACME, name: 'Acme' }, closedAt: null, holds });
  expect(body.key).toMatchObject({ name: 'first admin of acme', role: 'admin' });
  const ann = await call(body.key.key, 'POST', '/v1/keys', { body: { name: 'ann', role: 'author' } });
  expect(ann.status).toBe(201);
  expect((await call(ann.body.key, 'POST', '/v1/agents', { body: { id: 'bot' } })).status).toBe(201);
  const again = await open({ name: 'Acme' }, { headers: { 'idempotency-key': 'o1' } });
  expect([again.status, again.body.key, again.body.holds.agents]).toEqual([201, null, 1]);
  expect(await open()).toMatchObject({ status: 409, body: { code: 'REVISION_CONFLICT' } });
  expect((await call('admin', 'GET', '/v1/keys')).body.keys).toHaveLength(2);
});

test('issues no admin key for a tenant that already has agents', async () => {
  const { call, open, agent } = await scene();
  await agent('bot');
  expect(await open()).toMatchObject({ status: 201, body: { key: null, holds: { agents: 1 } } });
  expect((await call('admin', 'GET', '/v1/keys')).body.keys).toEqual([]);
});

test('issues no admin key for a tenant that has a key in the file, even if the tenant is empty', async () => {
  const { call, open } = await scene();
  expect(await open({ id: 'filed' })).toMatchObject({ status: 201, body: { key: null } });
  expect((await call('owner', 'GET', '/v1/tenants/filed')).body.tenant.id).toBe('filed');
});

test('issues no admin key for a tenant that has only rules', async () => {
  const { call, open } = await scene();
  await call('author', 'POST', '/v1/rules', { body: { version: 1, id: 'r', policy: 'p' } });
  expect(await open()).toMatchObject({ status: 201, body: { key: null, holds: { rules: 1 } } });
  expect((await call('admin', 'GET', '/v1/keys')).body.keys).toEqual([]);
});

test('reports what looser tenant limits newly permit', async () => {
  const { open, put } = await scene();
  await open({ limits: { maxCostTotal: 5 } });
  expect((await put({ limits: { maxCostTotal: 4 } })).body.widens).toEqual([]);
  expect((await put({ limits: { maxCostTotal: 9 } })).body.widens).toEqual(['maxCostTotal: 4 → 9']);
  expect((await put()).body.widens).toEqual(['limits: gone']);
  expect((await put({ limits: { maxCostTotal: 9 } })).body.widens).toEqual([]);
});

test('shows all tenants to an operator of the plane, and to other people only their own tenant', async () => {
  const { call, open } = await scene();
  for (const id of ['acme', 'globex', 'zeta']) await open({ id });
  const names = (page: { tenants: { tenant: { id: string } }[] }) =>
    page.tenants.map(({ tenant }) => tenant.id);
  const first = await call('owner', 'GET', '/v1/tenants?limit=2');
  const rest = await call('owner', 'GET', `/v1/tenants?limit=2&cursor=${first.body.next}`);
  expect([names(first.body), names(rest.body)]).toEqual([['acme', 'globex'], ['zeta']]);
  for (const who of ['author', 'auditor', 'other'] as const)
    expect((await call(who, 'GET', '/v1/tenants')).status).toBe(403);
  const seen = async (who: Who, id: string) => (await call(who, 'GET', `/v1/tenants/${id}`)).status;
  for (const [who, id, status] of [
    ['owner', 'zeta', 200],
    ['author', 'acme', 200],
    ['auditor', 'acme', 200],
    ['auditor', 'globex', 404],
    ['other', 'globex', 200],
    ['other', 'acme', 404],
    ['admin', 'acme', 403],
    ['owner', 'nobody', 404],
  ] as const)
    expect([who, id, await seen(who, id)]).toEqual([who, id, status]);
});

test('quotas refuse new documents but keep the existing ones, and do not limit another tenant', async () => {
  const { call, put, agent } = await scene();
  for (const id of ['a', 'b']) expect((await agent(id)).status).toBe(201);
  const limited = await put({ quotas: { agents: 1 } });
  expect(limited.body).toMatchObject({ tenant: { quotas: { agents: 1 } }, holds: { agents: 2 } });
  expect(await agent('c')).toMatchObject({ status: 409, body: { code: 'TOO_MANY' } });
  expect((await call('author', 'PUT', '/v1/agents/a', { body: { id: 'a', groups: ['g'] } })).status).toBe(
    200,
  );
  expect((await agent('c', 'other')).status).toBe(201);
  await put({ quotas: { agents: 3 } }, { headers: { 'if-match': limited.etag ?? '' } });
  expect((await agent('c')).status).toBe(201);
  expect(await put({}, { headers: { 'if-match': limited.etag ?? '' } })).toMatchObject({
    status: 409,
    body: { code: 'REVISION_CONFLICT' },
  });
});

test('tenant limits are part of a preview, and must compile', async () => {
  const { call, put, agent } = await scene();
  const { body: limited } = await put({ limits: { deniedTools: ['send'] } });
  await agent('bot');
  await call('author', 'POST', '/v1/policies', { body: { version: 1, id: 'p' } });
  await call('author', 'POST', '/v1/rules', { body: { version: 1, id: 'r', policy: 'p' } });
  const action = { id: 'x', agentId: 'bot', type: 'tool_call', tool: 'send' };
  const preview = () => call('auditor', 'POST', '/v1/mandates/preview?expand=policies', { body: { action } });
  const name = `tenant acme@${limited.revision}`;
  expect((await preview()).body).toMatchObject({
    mandate: { policies: ['p@1', name] },
    refusal: { code: 'TOOL_DENIED' },
    appliedPolicies: [{ name: 'p@1' }, { name, policy: { id: 'acme', deniedTools: ['send'] } }],
  });
  const issued = await call('author', 'POST', '/v1/grants/issue', { body: { agentId: 'bot' } });
  expect([issued.status, issued.body.grant.policies]).toEqual([201, ['p@1']]);

  const pattern = { type: 'object', properties: { a: { pattern: '(' } } };
  const toolPolicies = { send: { argumentValidation: { schema: pattern } } };
  const { status, body } = await put({ limits: { toolPolicies } });
  expect([status, body.code, body.errors[0].pointer]).toEqual([
    400,
    'VALIDATION_FAILED',
    expect.stringMatching(/^.limits.toolPolicies.send/),
  ]);
});

test('in a closed tenant, callers can only read and revoke keys until the tenant is opened again', async () => {
  const { call, open, put, close, agent } = await scene();
  expect(await close()).toMatchObject({ status: 404, body: { code: 'TENANT_NOT_FOUND' } });
  const { body } = await open();
  const firstAdmin: Who = body.key.key;
  const { body: ann } = await call(firstAdmin, 'POST', '/v1/keys', { body: { name: 'ann', role: 'viewer' } });
  await agent('bot');
  const closed = await close();
  expect(closed).toMatchObject({ status: 200, body: { closedAt: expect.stringContaining('2026') } });
  expect((await agent('x')).status).toBe(403);
  expect(await agent('x', firstAdmin)).toMatchObject({
    status: 403,
    body: { code: 'FORBIDDEN', detail: 'the tenant of this API key is closed' },
  });
  const reads = (await call(firstAdmin, 'GET', '/v1/agents')).body.agents;
  expect(reads).toHaveLength(1);
  expect((await call(ann.key, 'GET', '/v1/agents')).status).toBe(200);
  expect((await call(firstAdmin, 'DELETE', `/v1/keys/${ann.id}`)).status).toBe(200);
  expect((await call(ann.key, 'GET', '/v1/agents')).status).toBe(401);
  const { keys } = (await call(firstAdmin, 'GET', '/v1/agents/bot/keys')).body;
  expect((await call(firstAdmin, 'DELETE', `/v1/agents/bot/keys/${keys[0].id}`)).status).toBe(200);
  const issued = await call(firstAdmin, 'POST', '/v1/keys', { body: { name: 'bob', role: 'viewer' } });
  expect(issued).toMatchObject({ status: 409, body: { code: 'TENANT_CLOSED' } });
  expect((await call('auditor', 'GET', '/v1/tenants/acme')).body.closedAt).toBe(closed.body.closedAt);
  const issue = { agentId: 'bot', agent: { id: 'bot' } };
  expect((await call('auditor', 'POST', '/v1/mandates/preview', { body: issue })).body).toMatchObject({
    grant: null,
    refusal: { code: 'TENANT_CLOSED' },
  });
  expect((await call('operator', 'GET', '/v1/tenants')).status).toBe(200);
  expect(await close()).toMatchObject({ status: 409, body: { code: 'TENANT_CLOSED' } });
  expect(await open()).toMatchObject({ status: 409, body: { code: 'REVISION_CONFLICT' } });
  expect((await put({}, { headers: { 'if-match': closed.etag ?? '' } })).body.closedAt).toBe(null);
  expect((await agent('x')).status).toBe(201);
});

test('refuses a change that reaches the log after its tenant was closed', async () => {
  const { followed, open } = await scene();
  await open();
  const change = { tenant: 'acme', by: 'ann', reason: '', at: '2026-03-01T12:00:00.000Z' };
  await followed.change({ event: 'tenant.closed', change: { id: 'c1', ...change } });
  const late = { event: 'agent.retired', agentId: 'bot', change: { id: 'c2', ...change } } as const;
  expect(await followed.change(late)).toMatchObject({ ok: false, refusal: 'TENANT_CLOSED' });
});

test('refuses to close the tenant of the caller', async () => {
  const { open, close } = await scene();
  await open();
  expect(await close('operator')).toMatchObject({ status: 409, body: { code: 'OWN_TENANT' } });
  expect(await close('author')).toMatchObject({ status: 403 });
});
