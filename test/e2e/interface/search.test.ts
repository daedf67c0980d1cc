/** Tests the filters of lists, the search of a person who types, and the suggestions of filters, on a whole plane. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPlane, planeConfig } from '@mandate/plane';
import { dataFolder, silentLogger } from '@mandate/runtime';
import type { ApiScope, Decision } from '@mandate/schemas';
import { fileKeyStore, issueApiKey } from '@mandate/server';
import { waitUntil } from '@mandate/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

const OWNER: ApiScope[] = ['publish', 'audit', 'author', 'admin', 'operate'];
const issue = (tenant: string, scopes: ApiScope[]) =>
  issueApiKey({ tenant, name: `${tenant} ${scopes[0]}`, scopes, agents: ['*'] });
const KEYS = {
  owner: issue('acme', OWNER),
  viewer: issue('acme', ['audit']),
  publisher: issue('acme', ['publish']),
  admin: issue('acme', ['admin']),
  other: issue('globex', OWNER),
};
type Who = keyof typeof KEYS;

const folder = mkdtempSync(join(tmpdir(), 'mandate-search-'));
let plane: Awaited<ReturnType<typeof openPlane>>;
let decision: Decision;

async function call(who: Who, method: string, path: string, body?: object) {
  const answer = await fetch(plane.url + path, {
    method,
    headers: {
      authorization: `Bearer ${KEYS[who].key}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: the tests check its shape
  return { status: answer.status, body: (await answer.json()) as any };
}
const get = (who: Who, path: string, query: Record<string, string> = {}) =>
  call(who, 'GET', `${path}?${new URLSearchParams(query)}`);

beforeAll(async () => {
  const keys = fileKeyStore(dataFolder(folder).keys);
  for (const { record } of Object.values(KEYS)) await keys.add(record);
  plane = await openPlane(planeConfig.parse({ PLANE_DATA_PATH: folder, PLANE_PORT: 0 }), silentLogger());
  for (const agent of [
    { id: 'airline-1', name: 'Refund Clerk', groups: ['support'], labels: { tier: 'gold', 'a=b': 'c' } },
    { id: 'airline-2', groups: ['sales'], parent: 'airline-1' },
    { id: 'airline-3', parent: 'airline-2', labels: { tier: 'silver' } },
    { id: 'fair-1' },
  ])
    expect((await call('owner', 'POST', '/v1/agents', agent)).status).toBe(201);
  await call('owner', 'POST', '/v1/policies', { version: 1, id: 'air-reads', allowedTools: ['read_*'] });
  await call('owner', 'POST', '/v1/policies', { version: 1, id: 'writes' });
  await call('owner', 'POST', '/v1/rules', { version: 1, id: 'all', policy: 'air-reads' });
  await call('owner', 'POST', '/v1/keys', { name: 'air traffic', role: 'viewer' });
  for (const [at, tool] of ['read_mail', 'read_mail', 'read_book', 'write'].entries()) {
    const action = { id: `act-${at}`, agentId: 'airline-1', type: 'tool_call', tool };
    const answer = await call('owner', 'POST', '/v1/actions?waitMs=20000', action);
    decision = answer.body.decision;
  }
  await waitUntil('the audit has the decisions', async () => {
    const { body } = await get('owner', '/v1/audit/decisions');
    return body.decisions.length === 4;
  });
});
afterAll(async () => {
  await plane.stop();
  rmSync(folder, { recursive: true });
});

test.each<[Record<string, string>, string[]]>([
  [{ q: 'AIR' }, ['airline-1', 'airline-2', 'airline-3', 'fair-1']],
  [{ q: 'clerk' }, ['airline-1']],
  [{ q: 'airline', limit: '2' }, ['airline-1', 'airline-2']],
  [{ group: 'sales' }, ['airline-2']],
  [{ parent: 'airline-1' }, ['airline-2']],
  [{ family: 'airline-1' }, ['airline-1', 'airline-2', 'airline-3']],
  [{ label: 'tier' }, ['airline-1', 'airline-3']],
  [{ label: 'tier=gold' }, ['airline-1']],
  [{ label: 'a=b=c' }, ['airline-1']],
  [{ family: 'airline-1', label: 'tier=silver' }, ['airline-3']],
  [{ q: "' OR 1=1 --" }, []],
  [{ q: '.*' }, []],
  [{ label: '__proto__' }, []],
])('lists the agents of %j', async (query, ids) => {
  const { body } = await get('viewer', '/v1/agents', query);
  expect(body.agents.map(({ agent }: { agent: { id: string } }) => agent.id)).toEqual(ids);
  expect((await get('other', '/v1/agents', query)).body.agents).toEqual([]);
});

test('pages of filtered agents contain each agent once', async () => {
  const first = await get('viewer', '/v1/agents', { q: 'airline', limit: '2' });
  const rest = await get('viewer', '/v1/agents', { q: 'airline', limit: '2', cursor: first.body.next });
  expect(rest.body).toMatchObject({ agents: [{ agent: { id: 'airline-3' } }], next: null });
});

test('finds policies and rules that contain a text', async () => {
  const policies = await get('viewer', '/v1/policies', { q: 'READS' });
  expect(policies.body.policies).toMatchObject([{ policy: { id: 'air-reads' } }]);
  expect((await get('viewer', '/v1/rules', { q: 'air-' })).body.rules).toMatchObject([
    { rule: { id: 'all' } },
  ]);
  expect((await get('viewer', '/v1/rules', { q: 'none' })).body.rules).toEqual([]);
});

test('a search shows only what the key may see, with the best match first', async () => {
  const found = await get('owner', '/v1/search', { q: 'air' });
  expect(found.body).toEqual({
    agents: ['airline-1', 'airline-2', 'airline-3', 'fair-1'].map((id) => ({
      id,
      name: id === 'airline-1' ? 'Refund Clerk' : null,
    })),
    policies: [{ id: 'air-reads', isArchived: false }],
    rules: [],
    keys: [{ id: expect.any(String), name: 'air traffic', role: 'viewer' }],
  });
  expect((await get('owner', '/v1/search', { q: 'fair-1', limit: '1' })).body.agents).toEqual([
    { id: 'fair-1', name: null },
  ]);
  expect((await get('viewer', '/v1/search', { q: 'air' })).body).toMatchObject({ ...found.body, keys: [] });
  expect((await get('admin', '/v1/search', { q: 'air' })).body).toMatchObject({
    ...{ agents: [], policies: [], keys: found.body.keys },
  });
  expect((await get('other', '/v1/search', { q: 'air' })).body).toEqual({
    ...{ agents: [], policies: [], rules: [], keys: [] },
  });
  expect((await get('publisher', '/v1/search', { q: 'air' })).body.code).toBe('FORBIDDEN');
});

test('finds decisions by the beginning of their id or of the id of their action', async () => {
  const idsOf = async (q: string, who: Who = 'viewer') =>
    (await get(who, '/v1/audit/search', { q })).body.decisions?.map((one: Decision) => one.actionId).sort();
  expect(await idsOf('act-')).toEqual(['act-0', 'act-1', 'act-2', 'act-3']);
  expect(await idsOf('act-2')).toEqual(['act-2']);
  expect(await idsOf(decision.id)).toEqual(['act-3']);
  expect(await idsOf(decision.id.slice(0, -1))).toEqual(['act-3']);
  expect(await idsOf("act-' OR '1'='1")).toEqual([]);
  expect(await idsOf('%')).toEqual([]);
  expect(await idsOf('act-', 'other')).toEqual([]);
  expect((await get('publisher', '/v1/audit/search', { q: 'act-' })).body.code).toBe('FORBIDDEN');
});

test('suggests the values of a field, the most frequent first', async () => {
  const valuesOf = async (query: Record<string, string>, who: Who = 'viewer') =>
    (await get(who, '/v1/audit/values', query)).body.values?.map(
      ({ value, decisions }: { value: string; decisions: number }) => `${value} ${decisions}`,
    );
  expect(await valuesOf({ field: 'tool' })).toEqual(['read_mail 2', 'read_book 1', 'write 1']);
  expect(await valuesOf({ field: 'tool', prefix: 'read_' })).toEqual(['read_mail 2', 'read_book 1']);
  expect(await valuesOf({ field: 'tool', limit: '1' })).toEqual(['read_mail 2']);
  expect(await valuesOf({ field: 'agent' })).toEqual(['airline-1 4']);
  expect(await valuesOf({ field: 'policy', prefix: 'air' })).toEqual([
    expect.stringMatching(/^air-reads@1 /),
  ]);
  expect(await valuesOf({ field: 'principal' })).toEqual([]);
  for (const prefix of ['%', '_', "' OR 1=1 --", '\\', '{prefix:String}'])
    expect([prefix, await valuesOf({ field: 'tool', prefix })]).toEqual([prefix, []]);
  expect(await valuesOf({ field: 'tool' }, 'other')).toEqual([]);
  expect((await get('publisher', '/v1/audit/values', { field: 'tool' })).body.code).toBe('FORBIDDEN');
});

test.each([
  ['/v1/agents', { q: '' }],
  ['/v1/agents', { q: 'x'.repeat(201) }],
  ['/v1/agents', { colour: 'red' }],
  ['/v1/search', {}],
  ['/v1/search', { q: 'x', limit: '51' }],
  ['/v1/audit/search', { q: 'x'.repeat(201) }],
  ['/v1/audit/values', {}],
  ['/v1/audit/values', { field: 'tool, (SELECT 1)' }],
  ['/v1/audit/values', { field: 'tool', limit: '1e3' }],
  ['/v1/audit/values', { field: 'tool', tenant: 'globex' }],
])('%s refuses %j', async (path, query) => {
  expect(await get('owner', path, query as Record<string, string>)).toMatchObject({
    status: 400,
    body: { code: 'VALIDATION_FAILED' },
  });
});
