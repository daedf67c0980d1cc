/**
 * Tests which keys open which route of a whole plane. The OpenAPI document has the routes and their parameters, so
 * the test includes new routes without a change here.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { idOfChange } from '@mandate/audit';
import type { LogRecord } from '@mandate/bus';
import { openPlane, planeConfig } from '@mandate/plane';
import { dataFolder, silentLogger } from '@mandate/runtime';
import {
  API_SCOPES,
  type ApiScope,
  type AuditRead,
  approvalId,
  type Decision,
  ROLE_NAMES,
  ROLES,
  readAccessRecord,
  TOPICS,
  topicOfTenant,
} from '@mandate/schemas';
import { fileKeyStore, issueApiKey } from '@mandate/server';
import { byLength, faultsOfAnswers, waitUntil } from '@mandate/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deadLetterOf } from '../audit/support/log-records.ts';
import { recordsOf } from '../support/gateway-plane.ts';
import { type Described, isStream, type OpenApi, operationsOf, requiredValues, urlOf } from './described.ts';

const issue = (tenant: string, name: string, scopes: readonly ApiScope[]) =>
  issueApiKey({ tenant, name, scopes: [...scopes], agents: ['*'] });
type Caller = { name: string; scopes: readonly ApiScope[]; key: string };
/**
 * The keys with only one scope, one for each scope. `audit` is left out, because the role viewer has a key with this
 * scope only.
 */
const OF_ONE_SCOPE = API_SCOPES.filter((scope) => scope !== 'audit').map((scope) => ({
  name: scope,
  scopes: [scope],
  ...issue('acme', scope, [scope]),
}));
/** The scope operate:all is left out, because its keys may see every tenant. */
const OF_A_TENANT = API_SCOPES.filter((scope) => scope !== 'operate:all');
const [ours, theirs] = [issue('acme', 'ours', OF_A_TENANT), issue('globex', 'theirs', OF_A_TENANT)];
const [unknown, forged] = [issue('acme', 'unknown', API_SCOPES), issue('acme', 'forged', API_SCOPES)];

const folder = mkdtempSync(join(tmpdir(), 'mandate-access-'));
let plane: Awaited<ReturnType<typeof openPlane>>;
let operations: Described[];
let keyed: Described[];
/** The callers with keys that the plane itself issued: one caller for each role. */
let ofRoles: readonly (Caller & { id: string })[];
/** The records of requests on the log so far. */
const onRecord: AuditRead[] = [];
let faultsOf: ReturnType<Awaited<ReturnType<typeof faultsOfAnswers>>>;

beforeAll(async () => {
  const keys = fileKeyStore(dataFolder(folder).keys);
  for (const { record } of [...OF_ONE_SCOPE, ours, theirs]) await keys.add(record);
  // The plane knows the id of this key, but stores the hash of another secret for it.
  await keys.add({ ...forged.record, hash: unknown.record.hash });
  // The time limit is long, because all callers ask at once and the machine may be busy.
  const settings = { PLANE_DATA_PATH: folder, PLANE_PORT: 0, QUERY_ANSWER_TIMEOUT_MS: 60_000 };
  const config = planeConfig.parse(settings);
  plane = await openPlane(config, silentLogger());
  const onRecords = (records: readonly LogRecord[]) =>
    void onRecord.push(...records.map(({ value }) => readAccessRecord(value).read));
  await plane.bus.read({ topics: [TOPICS.access], from: 'earliest', onRecords });
  const document = (await (await fetch(`${plane.url}/openapi.json`)).json()) as OpenApi;
  operations = operationsOf(document);
  faultsOf = (await faultsOfAnswers())(document);
  keyed = operations.filter(({ security }) => security.length > 0);
  expect(keyed.length).toBeGreaterThan(60);
  ofRoles = await Promise.all(
    ROLE_NAMES.map(async (role) => {
      const name = `who is ${role}`;
      const made = await put<{ id: string; key: string }>(ours.key, '/v1/keys', { name, role });
      return { ...made, name, scopes: ROLES[role] };
    }),
  );
});
afterAll(async () => {
  await plane.stop();
  rmSync(folder, { recursive: true });
});

type Asked = { values?: ReadonlyMap<string, string>; body?: string };

/**
 * Sends a request, and checks that the OpenAPI document describes the answer. A stream has no end, so only its status
 * is read.
 */
async function ask(operation: Described, key: string | null, { values, body = '{}' }: Asked = {}) {
  const answer = await fetch(new URL(urlOf(operation, values ?? requiredValues(operation)), plane.url), {
    method: operation.method,
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(operation.requestBody && { 'content-type': 'application/json' }),
    },
    body: operation.requestBody === undefined ? null : body,
  });
  const isEndless = answer.ok && isStream(operation);
  if (isEndless) await answer.body?.cancel();
  const { status } = answer;
  const text = isEndless ? '' : await answer.text();
  const contentType = answer.headers.get('content-type') ?? '';
  expect(faultsOf({ ...operation, status, contentType, body: isEndless ? null : text })).toEqual([]);
  return { status, text };
}

const nameOf = ({ method, path }: Described) => `${method} ${path}`;
const routeOf = (operation: Described) => nameOf(operation).replaceAll(/\{(\w+)\}/g, ':$1');

/** The scopes that open each route. The first row that matches the route counts. Each route has a matching row. */
const OPENED_BY: readonly [routes: RegExp, scopes: readonly ApiScope[]][] = [
  [/^POST .v1.(actions|context|agents.{id}.permitted-tools)$/, ['publish']],
  [/^(DELETE|GET|POST) .v1.session$/, API_SCOPES],
  [/^POST .v1.outcomes$/, ['report']],
  [/^POST .v1.audit$/, ['record']],
  [/^GET .v1.(actions.|approvals.{id}.answer$)/, ['publish', 'audit']],
  [/^GET .v1.agents.{id}.(kill-status|usage)$/, ['publish', 'audit', 'operate']],
  [/^GET .v1.kills.stream$/, ['publish', 'audit', 'operate']],
  [/^GET .v1.(kills|reconcile)$/, ['audit', 'operate']],
  [/^POST .v1.(agents.{id}.)?(kill|revive)$/, ['operate']],
  [/^POST .v1.budgets.adjust$/, ['operate', 'operate:limits']],
  [/^POST .v1.approvals.{id}.(approve|deny)$/, ['approve', 'operate']],
  [/^POST .v1.alerts.drift$/, ['operate']],
  [/^GET .v1.(ledger.(agents|summary)|audit.sums)/, ['audit', 'operate']],
  [/^GET .v1.ledger/, ['operate']],
  [/^GET .v1.(alerts(.rules)?$|audit.dead-letters)/, ['audit', 'operate:all']],
  [/^POST .v1.alerts./, ['operate', 'operate:all']],
  [/^GET .v1.approvals/, ['approve', 'audit', 'operate']],
  [/^(GET|POST) .v1.dead-letters/, ['operate:all']],
  [/^GET .v1.audit./, ['audit']],
  [/^GET .v1.persons.erasures$/, ['audit', 'persons']],
  [/^POST .v1.persons./, ['persons']],
  [/^GET .v1.runs/, ['audit', 'operate']],
  [/^POST .v1.runs/, ['operate']],
  [
    /^(GET .v1.(agents|grants|lint|manifests|policies|rules)|POST .v1.mandates.preview$)/,
    ['audit', 'author'],
  ],
  [/^GET .v1.search$/, ['audit', 'author', 'admin']],
  [/^(DELETE|GET|POST) .v1.keys/, ['admin']],
  [/^DELETE .v1.agents.{id}.keys/, ['admin', 'author']],
  [/^(DELETE|POST|PUT) .v1.(agents|grants|manifests|policies|rules)/, ['author']],
  [/^GET .v1.tenants.{id}$/, ['audit', 'author', 'operate:all']],
  [/^((DELETE|GET|POST|PUT) .v1.tenants|GET .v1.mandates-file)/, ['operate:all']],
];
function scopesOf(operation: Described): readonly string[] {
  return OPENED_BY.find(([routes]) => routes.test(nameOf(operation)))?.[1] ?? [];
}

/**
 * The number of requests so far. Each request comes from another address, because an address that is refused often
 * must wait.
 */
let asking = 0;
async function askAnew(operation: Described, key: string | null): Promise<{ status: number; code: unknown }> {
  asking += 1;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = request(new URL(urlOf(operation, requiredValues(operation)), plane.url), {
    method: operation.method,
    localAddress: `127.0.1.${1 + Math.floor(asking / 50)}`,
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(operation.requestBody && { 'content-type': 'application/json' }),
    },
  });
  sent
    .on('response', resolve)
    .on('error', reject)
    .end(operation.requestBody && '{}');
  const answer = await promise;
  const body = await text(answer);
  const { statusCode: status = 0, headers } = answer;
  expect(faultsOf({ ...operation, status, contentType: headers['content-type'] ?? '', body })).toEqual([]);
  return { status, code: status < 400 ? null : JSON.parse(body).code };
}

/** Returns the recorded requests without a valid key so far, as counts by tenant, key, method and route. */
function strangersOnRecord(): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { tenant, key, method, route, parameters, refused, code } of onRecord) {
    if (code !== 'UNAUTHENTICATED') continue;
    expect(refused).toBe(true);
    const name = `${tenant} ${key?.name} ${method} ${route}`;
    sums[name] = (sums[name] ?? 0) + Number(parameters.refusals ?? 1);
  }
  return sums;
}

type Refused = { by: string; key: string | null };

/** Returns all keys. In a short run, returns one of them for each route, the next key each time. */
const inTurn = (keys: readonly Refused[], at: number) =>
  byLength({ short: keys.filter((_, place) => place === at % keys.length), full: keys });

/**
 * Sends keys to each route that needs one. Each request must be refused and recorded. `by` is the tenant and the
 * key's name that the record must have.
 * @param keysOf the keys for the route at this place
 */
async function expectRefusedAndOnRecord(keysOf: (at: number) => readonly Refused[]): Promise<void> {
  const expected = strangersOnRecord();
  for (const [at, operation] of keyed.entries())
    for (const { by, key } of keysOf(at)) {
      const { status, code } = await askAnew(operation, key);
      expect([nameOf(operation), by, status, code]).toEqual([nameOf(operation), by, 401, 'UNAUTHENTICATED']);
      const name = `${by} ${routeOf(operation)}`;
      expected[name] = (expected[name] ?? 0) + 1;
    }
  const sumOf = (sums: Record<string, number>) => Object.values(sums).reduce((sum, one) => sum + one, 0);
  await waitUntil('all of them', () => sumOf(strangersOnRecord()) === sumOf(expected));
  expect(strangersOnRecord()).toEqual(expected);
}

test('without a key, or with an unknown key, only public routes answer, and the refusals are recorded', async () => {
  for (const operation of operations.filter((one) => !keyed.includes(one)))
    for (const key of [null, unknown.key]) {
      // A sign-in that cannot continue sends the browser to the page for signing in.
      const status = operation.path.startsWith('/v1/signin/oidc') ? 303 : 200;
      expect([nameOf(operation), (await askAnew(operation, key)).status]).toEqual([
        nameOf(operation),
        status,
      ]);
    }
  const ofNobody = (key: string | null) => ({ by: 'null undefined', key });
  const wrong = [ofNobody(unknown.key), ofNobody('sk-none'), { by: 'acme forged', key: forged.key }];
  await expectRefusedAndOnRecord((at) => [ofNobody(null), ...inTurn(wrong, at)]);
  expect(operations.filter((one) => !keyed.includes(one)).map(({ tags }) => tags)).toEqual(
    expect.arrayContaining([['health']]),
  );
});

const opens = ({ scopes }: Caller, operation: Described) =>
  scopes.some((scope) => scopesOf(operation).includes(scope));

/**
 * Returns the callers that ask this route. In a short run these are every fifth of the callers that the route lets
 * in, and every fifth of the callers that the route refuses, but at least one of each. Routes have different callers.
 */
function callersOf(operation: Described): Caller[] {
  const at = keyed.indexOf(operation);
  const every = byLength({ short: 5, full: 1 });
  const some = (callers: readonly Caller[]) =>
    callers.filter((_, place) => (at + place) % Math.min(every, callers.length) === 0);
  const callers = [...OF_ONE_SCOPE, ...ofRoles];
  return [
    ...some(callers.filter((caller) => opens(caller, operation))),
    ...some(callers.filter((caller) => !opens(caller, operation))),
  ];
}

test('a key opens exactly the routes of its scopes, and each refusal is recorded once', async () => {
  const turnedAway: string[] = [];
  /** What each route and each caller must have done: refused or was refused, and let in or was let in. */
  const [expected, tried] = [new Set<string>(), new Set<string>()];
  for (const operation of keyed) {
    const said = operation.security[0]?.bearer ?? [];
    expect([nameOf(operation), new Set(said)]).toEqual([nameOf(operation), new Set(scopesOf(operation))]);
    for (const caller of [...OF_ONE_SCOPE, ...ofRoles]) {
      const isLetIn = opens(caller, operation);
      expected.add(`${nameOf(operation)} ${isLetIn}`).add(`${caller.name} ${isLetIn}`);
    }
    for (const caller of callersOf(operation)) {
      const { name } = caller;
      const { status, text } = await ask(operation, caller.key);
      const isLetIn = opens(caller, operation);
      tried.add(`${nameOf(operation)} ${isLetIn}`).add(`${name} ${isLetIn}`);
      expect([nameOf(operation), name, status === 403]).toEqual([nameOf(operation), name, !isLetIn]);
      if (isLetIn) expect(status, `${nameOf(operation)} as ${name}: ${text}`).toBeLessThan(500);
      else {
        expect(JSON.parse(text)).toMatchObject({ code: 'FORBIDDEN' });
        turnedAway.push(`${name} ${routeOf(operation)}`);
      }
    }
  }
  expect(tried).toEqual(expected);
  const reads = (await recordsOf(plane.bus, TOPICS.access)).map(({ value }) => readAccessRecord(value).read);
  const refusals = reads
    .filter(({ refused, code }) => refused && code !== 'UNAUTHENTICATED' && code !== 'SIGN_IN_EXPIRED')
    .map(({ key, method, route }) => `${key?.name} ${method} ${route}`);
  expect(refusals.sort()).toEqual(turnedAway.sort());
});

/** The tenant globex uses this id wherever it can choose an id. No data of acme contains it. */
const SPY = 'spy-1';
/** All ids in globex's data, including those that globex did not choose, such as the ids of decisions. */
const spied: string[] = [SPY];

/** The id of the tenant globex, which is also an id in its data. */
const THEM = 'globex';

/** The fields of answers that this test reads. An answer may have only some of them. */
type Made = {
  id: string;
  revision: number;
  key: { id: string };
  grant: { id: string };
  decision: Decision;
  commandId: string;
};

async function put<Answer = Made>(key: string, path: string, body: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(plane.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  expect([path, answer.ok]).toEqual([path, true]);
  return (await answer.json()) as Answer;
}

/** A person must confirm its only step, so a run of it waits. */
const FLOW = `apiVersion: coreason.ai/v2
kind: Recipe
metadata: { name: spy flow }
workflow: { start: only, steps: { only: { type: logic, code: "def run(inputs, state, steps): return 1" } } }
`;

async function seed(): Promise<void> {
  const agent = await put(theirs.key, '/v1/agents', { id: SPY, groups: ['spies'] });
  const toolPolicies = { pay: { requiresConfirmation: true } };
  const allowedTools = ['look', 'pay'];
  await put(theirs.key, '/v1/policies', { version: 1, id: SPY, allowedTools, toolPolicies });
  await put(theirs.key, '/v1/rules', { version: 1, id: SPY, policy: SPY, groups: ['spies'] });
  const { grant } = await put(theirs.key, '/v1/grants/issue', { agentId: SPY });
  const action = { id: SPY, agentId: SPY, type: 'tool_call', tool: 'look' };
  const { decision } = await put(theirs.key, '/v1/actions?waitMs=20000', action);
  const paying = { ...action, id: `${SPY}-pays`, tool: 'pay' };
  const waiting = await put(theirs.key, '/v1/actions?waitMs=20000', paying);
  // The OpenAPI document has version 3 as its example.
  for (const owner of ['ann', 'bob'])
    await put(theirs.key, '/v1/manifests', { manifest: FLOW.replace('}', `, owner: ${owner} }`) });
  const flow = await put(theirs.key, '/v1/manifests', { manifest: FLOW });
  const { id: runId } = await put(theirs.key, '/v1/runs', { manifest: flow.id });
  await waitUntil('the run waits for a person', async () => {
    const headers = { authorization: `Bearer ${theirs.key}` };
    const run = await (await fetch(`${plane.url}/v1/runs/${runId}`, { headers })).json();
    return (run as { status: string }).status === 'waiting';
  });
  const kill = await put(theirs.key, `/v1/agents/${SPY}/kill`, {});
  const { id: keyId } = await put(theirs.key, '/v1/keys', { name: SPY, role: 'admin' });
  const letter = deadLetterOf(1, topicOfTenant('globex'));
  await plane.bus.append(TOPICS.deadLetters, [{ key: null, value: JSON.stringify(letter) }]);
  await plane.atRest();
  const owner = OF_ONE_SCOPE.find(({ name }) => name === 'operate:all');
  await put(owner?.key ?? '', '/v1/tenants', { version: 1, id: THEM });
  spied.push(
    THEM,
    keyId,
    agent.key.id,
    grant.id,
    flow.id,
    runId,
    decision.id,
    kill.commandId,
    letter.deadLetter.id,
    idOfChange(agent.revision),
  );
  spied.push(approvalId(waiting.decision));
}

const NAMING = /^(agent|agentId)$/;
/**
 * Returns the parameters that can contain the id of something. The filters of the audit are not included;
 * fuzz-openapi.test.ts tests them.
 */
const namesIn = ({ path, parameters = [] }: Described) =>
  parameters
    .filter(({ name, schema }) => schema.type !== 'integer' && name !== 'version')
    .filter((one) => one.in === 'path' || (NAMING.test(one.name) && !path.startsWith('/v1/audit')))
    .map(({ name }) => name);

/**
 * Returns a request with this id in every parameter and field that can hold an id. If a path has two ids, the first
 * is `owner`.
 */
function naming(operation: Described, id: string, owner: string): Asked {
  const names = namesIn(operation);
  const values = new Map([
    ...requiredValues(operation),
    ...names.map((name, at) => [name, at === 0 && names.includes('keyId') ? owner : id] as const),
  ]);
  const content = operation.requestBody?.content['application/json'];
  const [example] = content?.example ? [content.example] : Object.values(content?.examples ?? {});
  const body = JSON.stringify(example?.value ?? example ?? {});
  return { values, body: body.replaceAll(/"(airline-007|act_1)"|(?<="id":)"[^"]+"/g, JSON.stringify(id)) };
}

/** Returns the answer to a request with this id. Parts that differ between two equal requests are removed. */
async function answered(operation: Described, key: string, id: string, owner: string): Promise<string> {
  const { status, text } = await ask(operation, key, naming(operation, id, owner));
  if (operation.method !== 'GET') return `${status} ${JSON.parse(text).code}`;
  const same = text.replaceAll(/"requestId":"[^"]*"|\d{4}-\d\d-\d\dT[\d:.]+Z/g, '');
  return `${status} ${same.replaceAll(id, 'ID').replaceAll(owner, 'OWNER')}`;
}

/**
 * Returns an id of the same length that does not exist. Only the last letter is changed. Another number could be the
 * id of a change of acme.
 */
const nobodys = (id: string) => id.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'));

test('in every request, ids of another tenant are answered like unknown ids; no list shows that tenant’s data, and no request changes it', async () => {
  await seed();
  const ofATenant = keyed.filter((one) => scopesOf(one).some((scope) => scope !== 'operate:all'));
  const named = ofATenant.filter((one) => namesIn(one).length > 0 || one.requestBody !== undefined);
  const shown = named.filter(({ method }) => method === 'GET');
  expect(shown.length).toBeGreaterThan(10);

  for (const operation of ofATenant.filter(({ method }) => method === 'GET')) {
    const { status, text } = await ask(operation, ours.key);
    // The name globex is left out, because the record of a request that acme sent and that was refused may contain
    // it.
    for (const id of spied.filter((one) => one !== THEM))
      expect([nameOf(operation), status, text.includes(id)]).toEqual([nameOf(operation), status, false]);
    if (!operation.parameters?.some(({ name }) => name === 'tenant')) continue;
    const values = new Map([...requiredValues(operation), ['tenant', 'globex']]);
    expect([nameOf(operation), (await ask(operation, ours.key, { values })).status]).toEqual([
      nameOf(operation),
      403,
    ]);
  }

  // Globex itself must see its data. Otherwise the test has searched for data that no key shows.
  const seen: { operation: Described; id: string; answer: string }[] = [];
  for (const operation of shown) {
    const nobody = await answered(operation, theirs.key, nobodys(SPY), nobodys(SPY));
    for (const id of spied) {
      const answer = await answered(operation, theirs.key, id, SPY);
      if (answer !== nobody) seen.push({ operation, id, answer });
    }
  }
  expect(new Set(seen.map(({ operation }) => operation))).toEqual(new Set(shown));

  // Reads come first. A later write of acme may create acme's own document with such an id.
  for (const operation of [...shown, ...named.filter((one) => !shown.includes(one))]) {
    const nobody = await answered(operation, ours.key, nobodys(SPY), nobodys(SPY));
    for (const id of spied) {
      const answer = await answered(operation, ours.key, id, SPY);
      // An id in another form than SPY may be refused for its form. Then an unknown id in this form is, too.
      const unknown =
        answer === nobody ? nobody : await answered(operation, ours.key, nobodys(id), nobodys(SPY));
      expect([nameOf(operation), id, answer]).toEqual([nameOf(operation), id, unknown]);
    }
  }
  for (const { operation, id, answer } of seen)
    expect([nameOf(operation), id, await answered(operation, theirs.key, id, SPY)]).toEqual([
      nameOf(operation),
      id,
      answer,
    ]);
});

test('a revoked key opens no route, and each use of it is recorded', async () => {
  for (const { id } of ofRoles) {
    const headers = { authorization: `Bearer ${ours.key}` };
    expect((await fetch(`${plane.url}/v1/keys/${id}`, { method: 'DELETE', headers })).status).toBe(200);
  }
  const revoked = ofRoles.map(({ name, key }) => ({ by: `acme ${name}`, key }));
  await expectRefusedAndOnRecord((at) => inTurn(revoked, at));
});

/**
 * In a closed tenant, only these scopes still open routes. Their keys can read, report outcomes, forget persons, and
 * revoke keys.
 */
const LEFT: readonly ApiScope[] = ['publish', 'report', 'record', 'audit', 'persons', 'admin'];

test('a key of a closed tenant can read and changes nothing, and each refusal is recorded', async () => {
  const owner = OF_ONE_SCOPE.find(({ name }) => name === 'operate:all')?.key ?? '';
  const headers = { authorization: `Bearer ${owner}` };
  expect((await fetch(`${plane.url}/v1/tenants/${THEM}`, { method: 'DELETE', headers })).status).toBe(200);
  for (const operation of keyed) {
    const { status } = await ask(operation, theirs.key, naming(operation, SPY, SPY));
    const isLetIn = scopesOf(operation).some((scope) => (LEFT as readonly string[]).includes(scope));
    expect([nameOf(operation), status === 403]).toEqual([nameOf(operation), !isLetIn]);
    const takesOthers = ['POST /v1/actions', 'POST /v1/keys'].includes(nameOf(operation));
    if (takesOthers) expect([nameOf(operation), status]).toEqual([nameOf(operation), 409]);
  }
  const reads = (await recordsOf(plane.bus, TOPICS.access)).map(({ value }) => readAccessRecord(value).read);
  const closed = reads.filter(({ refused, code }) => refused && code === 'TENANT_CLOSED');
  expect(closed.map(({ key, method, route }) => `${key?.name} ${method} ${route}`).sort()).toEqual([
    'theirs POST /v1/actions',
    'theirs POST /v1/keys',
  ]);
});
