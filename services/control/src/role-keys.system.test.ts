/** Keys of people over HTTP: who may issue a key, what the key permits, and that a revoked key permits nothing. */
import { ROLE_NAMES, ROLES, type Role, readControlRecord, TOPICS } from '@mandate/schemas';
import { busWith } from '@mandate/testing';
import { expect, test } from 'vitest';
import { controlOn, KEY_OF_HOST, openLog, type Who } from './control-server.fixture.ts';

async function scene() {
  const bus = await openLog();
  const { call, followed, passes } = await controlOn(bus);
  async function issue(role: Role, who: Who = 'admin'): Promise<{ id: string; key: `sk-${string}` }> {
    const { status, body } = await call(who, 'POST', '/v1/keys', { body: { name: `${role}s`, role } });
    expect(status).toBe(201);
    return body;
  }
  return { bus, call, followed, issue, passes };
}

test('shows a key once, permits what its role permits, and lists the key without its hash', async () => {
  const { bus, call, issue } = await scene();
  const keys = await Promise.all(ROLE_NAMES.map((role) => issue(role)));
  for (const [at, role] of ROLE_NAMES.entries()) {
    const { key = 'sk-' } = keys[at] ?? {};
    const may = (scope: string) => (ROLES[role] as readonly string[]).includes(scope);
    expect((await call(key, 'GET', '/v1/rules')).status).toBe(may('audit') ? 200 : 403);
    const agent = await call(key, 'POST', '/v1/agents', { body: { id: role } });
    expect([role, agent.status]).toEqual([role, may('author') ? 201 : 403]);
    for (const [method, path] of [
      ['POST', '/v1/keys'],
      ['GET', '/v1/keys'],
      ['DELETE', `/v1/keys/${keys[0]?.id}`],
    ] as const) {
      const { status } = await call(
        key,
        method,
        path,
        method === 'POST' ? { body: { name: 'x', role: 'viewer' } } : {},
      );
      expect([role, method, status === 403]).toEqual([role, method, !may('admin')]);
    }
  }
  const { body } = await call('admin', 'GET', '/v1/keys');
  expect(body.keys.map(({ id }: { id: string }) => id)).toEqual(
    body.keys.map(({ id }: { id: string }) => id).sort(),
  );
  const operator = keys[ROLE_NAMES.indexOf('operator')];
  const shown = { ...operator, name: 'operators', role: 'operator' };
  const { key: _, ...listed } = shown;
  expect(body.keys).toContainEqual(listed);

  const records: ReturnType<typeof readControlRecord>[] = [];
  const onRecords = (batch: readonly { value: Uint8Array }[]) =>
    void records.push(...batch.map(({ value }) => readControlRecord(value)));
  const reader = await bus.read({ topics: [TOPICS.control], from: 'earliest', onRecords });
  await reader.caughtUp;
  await reader.stop();
  const granted = records.flatMap((record) => (record.event === 'role.granted' ? [record] : []));
  expect(granted.map(({ byKey }) => byKey)).toEqual([
    ...keys.map(() => undefined),
    keys[ROLE_NAMES.indexOf('admin')]?.id,
  ]);
});

test.each([
  ['an unknown role', { name: 'x', role: 'owner' }],
  ['scopes of its own', { name: 'x', role: 'viewer', scopes: ['operate:all'] }],
  ['another tenant', { name: 'x', role: 'viewer', tenant: 'globex' }],
  ['no name', { name: '', role: 'viewer' }],
])('does not issue a key with %s', async (_, body) => {
  const { call } = await scene();
  expect(await call('admin', 'POST', '/v1/keys', { body })).toMatchObject({
    status: 400,
    body: { code: 'VALIDATION_FAILED' },
  });
  expect((await call('admin', 'GET', '/v1/keys')).body.keys).toEqual([]);
});

test('a key of a person expires after 90 days and a key of a service never, unless the request says otherwise', async () => {
  const { call, passes } = await scene();
  const issue = async (body: object) => (await call('admin', 'POST', '/v1/keys', { body })).body;
  const lasts = ({ createdAt, expiresAt }: { createdAt: string; expiresAt: string | null }) =>
    expiresAt === null ? null : (Date.parse(expiresAt) - Date.parse(createdAt)) / 86_400_000;
  for (const [body, days] of [
    [{ role: 'viewer' }, 90],
    [{ role: 'admin' }, 90],
    [{ role: 'reporter' }, null],
    [{ role: 'operator', expiresInMs: 86_400_000 }, 1],
    [{ role: 'operator', expiresInMs: null }, null],
  ] as const)
    expect([body, lasts(await issue({ name: 'x', ...body }))]).toEqual([body, days]);
  const soon = await issue({ name: 'soon', role: 'viewer', expiresInMs: 1_000 });
  const listed = (await call('admin', 'GET', '/v1/keys')).body.keys as object[];
  expect(listed).toContainEqual(expect.objectContaining({ name: 'soon', expiresAt: soon.expiresAt }));
  expect((await call(soon.key, 'GET', '/v1/rules')).status).toBe(200);
  passes(1_000);
  expect((await call(soon.key, 'GET', '/v1/rules')).body.code).toBe('KEY_EXPIRED');
});

test('refuses a repeated request with the same idempotency key but another validity', async () => {
  const { call } = await scene();
  const headers = { 'idempotency-key': 'i-1' };
  const ask = (more: object) =>
    call('admin', 'POST', '/v1/keys', { body: { name: 'ann', role: 'viewer', ...more }, headers });
  expect((await ask({})).body.key).toMatch(/^sk-mdt_/);
  expect((await ask({})).body.key).toBe(null);
  expect(await ask({ expiresInMs: 86_400_000 })).toMatchObject({ status: 409, body: { code: 'ID_REUSED' } });
});

test('a revoked key permits nothing, and is no longer listed', async () => {
  const { call, issue } = await scene();
  const { id, key } = await issue('viewer');
  expect((await call('admin', 'DELETE', `/v1/keys/${id}`)).status).toBe(200);
  expect((await call(key, 'GET', '/v1/rules')).status).toBe(401);
  expect((await call('admin', 'GET', '/v1/keys')).body).toEqual({ keys: [], next: null });
  const again = await call('admin', 'DELETE', `/v1/keys/${id}`);
  expect(again).toMatchObject({ status: 404, body: { code: 'KEY_NOT_FOUND' } });
});

test("tells only callers of the key's tenant that a key of the data folder can be revoked on the host", async () => {
  const { call } = await scene();
  for (const path of [`/v1/keys/${KEY_OF_HOST}`, `/v1/agents/bot-1/keys/${KEY_OF_HOST}`]) {
    expect(await call('other', 'DELETE', path)).toMatchObject({
      status: 404,
      body: {
        code: 'KEY_NOT_FOUND',
        detail: `the key "${KEY_OF_HOST}" was issued on the host of the plane`,
        remedy: expect.stringContaining(`mandate keys revoke ${KEY_OF_HOST}`),
      },
    });
    const { status, body } = await call('admin', 'DELETE', path);
    expect({ status, told: JSON.stringify(body).includes('host of the plane') }).toEqual({
      status: 404,
      told: false,
    });
  }
});

test('refuses to let an admin revoke the key of the request, but allows the key of another admin', async () => {
  const { call, issue } = await scene();
  const [one, other] = [await issue('admin'), await issue('admin')];
  const own = await call(one.key, 'DELETE', `/v1/keys/${one.id}`);
  expect(own).toMatchObject({ status: 409, body: { code: 'OWN_KEY' } });
  expect((await call(other.key, 'DELETE', `/v1/keys/${one.id}`)).status).toBe(200);
  expect((await call(one.key, 'GET', '/v1/keys')).status).toBe(401);
});

test('does not show the keys of another tenant', async () => {
  const { call, issue } = await scene();
  const { id, key } = await issue('admin', 'other');
  expect((await call('admin', 'GET', '/v1/keys')).body.keys).toEqual([]);
  expect((await call('admin', 'DELETE', `/v1/keys/${id}`)).status).toBe(404);
  await call(key, 'POST', '/v1/agents', { body: { id: 'theirs' } });
  expect((await call('auditor', 'GET', '/v1/agents')).body.agents).toEqual([]);
  expect((await call('other', 'GET', '/v1/agents')).body.agents).toHaveLength(1);
});

test('issues no second key for a repeated request with the same idempotency key, and refuses another request with it', async () => {
  const { call } = await scene();
  const headers = { 'idempotency-key': 'k-1' };
  const ask = (role: Role) => call('admin', 'POST', '/v1/keys', { headers, body: { name: 'ann', role } });
  const first = await ask('viewer');
  expect(await ask('viewer')).toMatchObject({ status: 201, body: { ...first.body, key: null } });
  expect(await ask('operator')).toMatchObject({ status: 409, body: { code: 'ID_REUSED' } });
  expect((await call('admin', 'GET', '/v1/keys')).body.keys).toHaveLength(1);
  await call('admin', 'DELETE', `/v1/keys/${first.body.id}`);
  expect(await ask('viewer')).toMatchObject({ status: 409, body: { code: 'ID_REUSED' } });
});

test('keys are listed in pages', async () => {
  const { call, issue } = await scene();
  const made = await Promise.all(Array.from({ length: 5 }, () => issue('viewer')));
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await call('admin', 'GET', `/v1/keys?limit=2${cursor && `&cursor=${cursor}`}`);
    ids.push(...body.keys.map(({ id }: { id: string }) => id));
    cursor = body.next;
  }
  expect(ids).toEqual(made.map(({ id }) => id).sort());
});

test('refuses a change if the key of its caller is revoked before the change is on the log', async () => {
  const { bus, call, issue } = await scene();
  const { id, key } = await issue('admin');
  const late = await controlOn(
    busWith(bus, {
      async append(topic, records) {
        if (topic === TOPICS.control) await call('admin', 'DELETE', `/v1/keys/${id}`);
        return bus.append(topic, records);
      },
    }),
  );
  const asked = await late.call(key, 'POST', '/v1/keys', { body: { name: 'x', role: 'admin' } });
  expect(asked).toMatchObject({ status: 401, body: { code: 'ADMIN_REVOKED' } });
  expect((await call('admin', 'GET', '/v1/keys')).body.keys).toEqual([]);
});
