/**
 * Tests `dryRun=true` on every route that changes agents, policies, rules, keys, tenants or the ledger. The OpenAPI
 * document has the routes, so a new route without a dry run fails here.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPlane, planeConfig } from '@mandate/plane';
import { dataFolder, silentLogger } from '@mandate/runtime';
import {
  API_SCOPES,
  type ApiScope,
  approvalId,
  type Decision,
  ROUTE_RECORDS,
  TOPICS,
} from '@mandate/schemas';
import { fileKeyStore, issueApiKey } from '@mandate/server';
import { faultsOfAnswers } from '@mandate/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordsOf } from '../support/gateway-plane.ts';
import { type Described, type OpenApi, operationsOf } from './described.ts';

const issue = (tenant: string, scopes: readonly ApiScope[]) =>
  issueApiKey({ tenant, name: `${tenant} ${scopes}`, scopes: [...scopes], agents: ['*'] });
const [ours, theirs] = [issue('acme', API_SCOPES), issue('globex', API_SCOPES)];
const [viewer, publisher] = [issue('acme', ['audit']), issue('acme', ['publish'])];

const folder = mkdtempSync(join(tmpdir(), 'mandate-dry-run-'));
let plane: Awaited<ReturnType<typeof openPlane>>;
let operations: Described[];
let faultsOf: ReturnType<Awaited<ReturnType<typeof faultsOfAnswers>>>;

/** The values of the ids in paths. The seed fills in those that the plane makes. */
const ids: Record<string, Record<string, string>> = {};
const nameOf = ({ method, path }: Pick<Described, 'method' | 'path'>) => `${method} ${path}`;

const MANIFEST = `apiVersion: coreason.ai/v2
kind: Recipe
metadata: { name: small flow }
workflow: { start: only, steps: { only: { type: logic, code: "def run(inputs, state, steps): return 1" } } }
`;
const AGENT = { id: 'bot', groups: ['support'] };
const READS = {
  version: 1,
  id: 'reads',
  allowedTools: ['look', 'pay'],
  toolPolicies: { pay: { requiresConfirmation: true } },
};
const RULE = { version: 1, id: 'all-read', policy: 'reads', groups: ['support'] };
const BUDGET = { scope: 'agent', subject: 'bot', id: 'total' };

const RULES: { ruleIds: string[] } = { ruleIds: [] };

/** The body of a request to each route that would change something. */
const BODIES: Readonly<Record<string, object | null>> = {
  'POST /v1/agents': { id: 'bot-2', groups: ['support'] },
  'PUT /v1/agents/{id}': { ...AGENT, groups: [] },
  'DELETE /v1/agents/{id}': null,
  'POST /v1/agents/{id}/keys': {},
  'DELETE /v1/agents/{id}/keys/{keyId}': null,
  'POST /v1/keys': { name: 'ann', role: 'viewer' },
  'DELETE /v1/keys/{id}': null,
  'POST /v1/grants/issue': { agentId: 'bot' },
  'POST /v1/grants/{id}/revoke': null,
  'POST /v1/policies': { version: 1, id: 'writes', allowedTools: ['write'] },
  'PUT /v1/policies/{id}': { ...READS, allowedTools: ['look', 'pay', 'wipe'] },
  'DELETE /v1/policies/{id}': null,
  'POST /v1/policies/{id}/rollback': { version: 1 },
  'POST /v1/rules': { version: 1, id: 'more', policy: 'reads' },
  'PUT /v1/rules/{id}': { ...RULE, groups: ['sales'] },
  'DELETE /v1/rules/{id}': null,
  // The seed fills in the rules, because the manifest has rules too.
  'PUT /v1/rules/reorder': RULES,
  'POST /v1/manifests': { manifest: MANIFEST.replace('}', ', owner: bob }') },
  'POST /v1/manifests/{id}/rollback': { version: 1 },
  'DELETE /v1/manifests/{id}': null,
  'POST /v1/tenants': { version: 1, id: 'initech' },
  'PUT /v1/tenants/{id}': { version: 1, id: 'umbrella', name: 'Umbrella' },
  'DELETE /v1/tenants/{id}': null,
  'POST /v1/agents/{id}/kill': { subtree: true },
  'POST /v1/kill': { scope: 'tenant' },
  'POST /v1/agents/{id}/revive': {},
  'POST /v1/revive': { scope: 'tenant' },
  'POST /v1/budgets/adjust': { budget: BUDGET, deltaMicros: 5, reason: 'test' },
  'POST /v1/approvals/{id}/approve': { reason: 'test' },
  'POST /v1/approvals/{id}/deny': { reason: 'test' },
};

type Sent = { key?: string; query?: string; body?: unknown; headers?: Record<string, string> };
async function send(method: string, path: string, { key = ours.key, query = '', body, headers }: Sent = {}) {
  const answer = await fetch(`${plane.url}${path}${query}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: the tests check its shape
  return { status: answer.status, body: (await answer.json()) as any };
}

async function made(path: string, body: object, method = 'POST') {
  const answer = await send(method, path, { body });
  expect([path, answer.status < 300, answer.body.detail]).toEqual([path, true, undefined]);
  return answer.body;
}

function pathOf(operation: Described): string {
  const values = ids[nameOf(operation)] ?? ids[operation.path.split('/')[2] ?? ''] ?? {};
  return operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? name),
  );
}

async function tried(operation: Described, sent: Sent = {}) {
  const body = BODIES[nameOf(operation)] ?? undefined;
  const answer = await send(operation.method, pathOf(operation), { query: '?dryRun=true', body, ...sent });
  const contentType = answer.status < 300 ? 'application/json' : 'application/problem+json';
  const described = { ...operation, status: answer.status, contentType, body: JSON.stringify(answer.body) };
  expect(faultsOf(described)).toEqual([]);
  return answer;
}

beforeAll(async () => {
  const keys = fileKeyStore(dataFolder(folder).keys);
  for (const { record } of [ours, theirs, viewer, publisher]) await keys.add(record);
  const config = planeConfig.parse({ PLANE_DATA_PATH: folder, PLANE_PORT: 0 });
  plane = await openPlane(config, silentLogger());
  const document = (await (await fetch(`${plane.url}/openapi.json`)).json()) as OpenApi;
  faultsOf = (await faultsOfAnswers())(document);
  const writes = ROUTE_RECORDS.filter(
    ({ topics, quota }) =>
      // A person who signs in asks for no change, and may get a key nevertheless.
      quota !== 'sign-ins' && (topics.includes('control') || topics.includes('decisions')),
  );
  const routes = new Set(writes.flatMap((one) => one.routes));
  operations = operationsOf(document).filter((one) => routes.has(nameOf(one)));

  const agent = await made('/v1/agents', AGENT);
  await made('/v1/policies', READS);
  await made('/v1/rules', RULE);
  await made('/v1/policies/reads', { ...READS, maxCostTotal: 1 }, 'PUT');
  await made('/v1/policies', { version: 1, id: 'unused' });
  await made('/v1/tenants', { version: 1, id: 'umbrella' });
  const { grant } = await made('/v1/grants/issue', { agentId: 'bot' });
  const person = await made('/v1/keys', { name: 'bob', role: 'viewer' });
  const flow = await made('/v1/manifests', { manifest: MANIFEST });
  const action = { id: 'act-1', agentId: 'bot', type: 'tool_call', tool: 'pay' };
  const { decision }: { decision: Decision } = await made('/v1/actions?waitMs=20000', action);
  expect(decision.verdict).toBe('DEFER');
  const { rules } = (await send('GET', '/v1/rules')).body;
  RULES.ruleIds = rules.map(({ rule }: { rule: { id: string } }) => rule.id).reverse();
  Object.assign(ids, {
    agents: { id: 'bot', keyId: agent.key.id },
    keys: { id: person.id },
    grants: { id: grant.id },
    policies: { id: 'reads' },
    'DELETE /v1/policies/{id}': { id: 'unused' },
    rules: { id: 'all-read' },
    manifests: { id: flow.id },
    tenants: { id: 'umbrella' },
    approvals: { id: approvalId(decision) },
  });
});
afterAll(async () => {
  await plane.stop();
  rmSync(folder, { recursive: true });
});

/** Everything that a change would alter: the records of each topic, and what the services answer from memory. */
async function state(): Promise<object> {
  const { access: _, ...topics } = TOPICS;
  const records = await Promise.all(
    Object.values(topics).map(async (topic) => [topic, (await recordsOf(plane.bus, topic)).length]),
  );
  const shown = await Promise.all(
    [
      ...['agents', 'agents/bot/keys', 'keys', 'grants', 'policies', 'policies/reads/versions', 'rules'],
      ...['manifests', 'tenants', 'ledger/balances', 'ledger/open', 'agents/bot/kill-status'],
    ].map(async (list) => [list, (await send('GET', `/v1/${list}`)).body]),
  );
  return { records, shown };
}

test('every route that changes something has a dry run, which answers and leaves log and state unchanged', async () => {
  expect(operations.map(nameOf).sort()).toEqual(Object.keys(BODIES).sort());
  const before = await state();
  for (const operation of operations) {
    const { status, body } = await tried(operation);
    expect([nameOf(operation), status, body.detail]).toEqual([nameOf(operation), 200, undefined]);
    const isManifest = /^POST .v1.manifests/.test(nameOf(operation));
    expect(body).toMatchObject(isManifest ? { isPublished: false } : { dryRun: true });
  }
  expect(await state()).toEqual(before);
});

test('a dry run needs the scope of the change, and shows nothing of another tenant', async () => {
  const before = await state();
  for (const operation of operations) {
    for (const { key } of [viewer, publisher])
      expect([nameOf(operation), (await tried(operation, { key })).body.code]).toEqual([
        nameOf(operation),
        'FORBIDDEN',
      ]);
    if (!operation.path.includes('{') || operation.path.includes('tenants')) continue;
    const { status, body } = await tried(operation, { key: theirs.key });
    // The ids belong to acme. A PUT would make a new document of globex, and a kill needs no registered agent.
    if (status === 200) expect(JSON.stringify({ ...body, target: null })).not.toContain('acme');
    else
      expect([nameOf(operation), status]).toEqual([
        nameOf(operation),
        expect.toSatisfy((one) => [404, 409].includes(one)),
      ]);
    if (operation.method === 'DELETE') expect([nameOf(operation), status]).toEqual([nameOf(operation), 404]);
  }
  expect(await state()).toEqual(before);
});

test('reports what gets wider, the lint findings, and the agents that are affected', async () => {
  const policy = { ...READS, allowedTools: ['look', 'pay', 'wipe'] };
  const dry = async (method: string, path: string, body?: object, headers = {}) =>
    (await send(method, path, { query: '?dryRun=true', body, headers })).body;
  expect(await dry('PUT', '/v1/policies/reads', policy)).toMatchObject({
    ...{ event: 'policy.published', version: 3, isRepeat: false },
    widens: expect.arrayContaining([expect.stringContaining('wipe')]),
    agents: { ids: ['bot'], isComplete: true },
  });
  expect(await dry('PUT', '/v1/rules/all-read', { ...RULE, policy: 'missing' })).toMatchObject({
    lint: [{ code: 'POLICY_MISSING' }],
    agents: { ids: ['bot'] },
  });
  expect(await dry('DELETE', '/v1/policies/reads')).toMatchObject({ code: 'POLICY_IN_USE' });
  expect(await dry('POST', '/v1/agents', { id: 'child', parent: 'nobody' })).toMatchObject({
    code: 'PARENT_UNKNOWN',
  });
  expect(await dry('POST', '/v1/policies', READS)).toMatchObject({ code: 'REVISION_CONFLICT' });
  expect(await dry('PUT', '/v1/policies/reads', policy, { 'if-match': '"1"' })).toMatchObject({
    code: 'REVISION_CONFLICT',
  });
  expect(await dry('PUT', '/v1/policies/reads', { ...READS, allowedTools: 7 })).toMatchObject({
    code: 'VALIDATION_FAILED',
  });
  expect(await dry('POST', '/v1/budgets/adjust', { budget: BUDGET, deltaMicros: 5, reason: 'x' })).toEqual({
    ...{ dryRun: true, tenant: 'acme', before: 0, after: 5 },
  });
});

test('a change that was made before is a repeat, and the key of another change is refused', async () => {
  const headers = { 'idempotency-key': 'k-1' };
  const rule = { version: 1, id: 'once', policy: 'reads', agents: ['bot'] };
  await send('PUT', '/v1/rules/once', { body: rule, headers });
  const dry = (body: object) => send('PUT', '/v1/rules/once', { query: '?dryRun=true', body, headers });
  expect((await dry(rule)).body).toMatchObject({ isRepeat: true, widens: null });
  expect((await dry({ ...rule, agents: ['other'] })).body).toMatchObject({ code: 'ID_REUSED' });
});

test.each(['?dryRun=yes', '?dryRun=', '?dryRun=true&dryRun=false', '?dryRun=1%27%20OR%201', '?dry=true'])(
  'refuses the hostile parameter %s on every route, and changes nothing',
  async (query) => {
    const before = await state();
    for (const operation of operations) {
      const { status } = await tried(operation, { query });
      expect([nameOf(operation), status]).toEqual([nameOf(operation), 400]);
    }
    expect(await state()).toEqual(before);
  },
);
