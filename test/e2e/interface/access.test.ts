/**
 * Who is let in, at every route of a whole plane. Which there are, and what each takes, is in the OpenAPI document: a new
 * one is asked without being named here.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { idOfChange } from '@mandate/audit';
import { openPlane, planeConfig } from '@mandate/plane';
import { dataFolder, silentLogger } from '@mandate/runtime';
import {
  API_SCOPES,
  type ApiScope,
  approvalId,
  type Decision,
  ROLE_NAMES,
  ROLES,
  readAccessRecord,
  TOPICS,
  topicOfTenant,
} from '@mandate/schemas';
import { fileKeyStore, issueApiKey } from '@mandate/server';
import { faultsOfAnswers, waitUntil } from '@mandate/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deadLetterOf } from '../audit/log-records.ts';
import { recordsOf } from '../gateway-plane.ts';
import { type Described, isStream, type OpenApi, operationsOf, requiredValues, urlOf } from './described.ts';

const issue = (tenant: string, name: string, scopes: readonly ApiScope[]) =>
  issueApiKey({ tenant, name, scopes: [...scopes], agents: ['*'] });
type Caller = { name: string; scopes: readonly ApiScope[]; key: string };
/** A viewer has `audit` alone. */
const OF_ONE_SCOPE = API_SCOPES.filter((scope) => scope !== 'audit').map((scope) => ({
  name: scope,
  scopes: [scope],
  ...issue('acme', scope, [scope]),
}));
/** With operate:all one sees every tenant. */
const OF_A_TENANT = API_SCOPES.filter((scope) => scope !== 'operate:all');
const [ours, theirs] = [issue('acme', 'ours', OF_A_TENANT), issue('globex', 'theirs', OF_A_TENANT)];
const [unknown, forged] = [issue('acme', 'unknown', API_SCOPES), issue('acme', 'forged', API_SCOPES)];

const folder = mkdtempSync(join(tmpdir(), 'mandate-access-'));
let plane: Awaited<ReturnType<typeof openPlane>>;
let operations: Described[];
let keyed: Described[];
/** Issued by the plane itself. */
let ofRoles: readonly (Caller & { id: string })[];
let faultsOf: ReturnType<Awaited<ReturnType<typeof faultsOfAnswers>>>;

beforeAll(async () => {
  const keys = fileKeyStore(dataFolder(folder).keys);
  for (const { record } of [...OF_ONE_SCOPE, ours, theirs]) await keys.add(record);
  // Its id is right, and its secret is another's.
  await keys.add({ ...forged.record, hash: unknown.record.hash });
  // Everybody asks at once, also where the machine has much else to do.
  const settings = { PLANE_DATA_PATH: folder, PLANE_PORT: 0, QUERY_ANSWER_TIMEOUT_MS: 60_000 };
  const config = planeConfig.parse(settings);
  plane = await openPlane(config, silentLogger());
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

/** For a stream the status alone: it has no end. Whatever the answer is, it must be as described. */
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

/** Which scopes open what; the first that fits counts, and every route fits one. */
const OPENED_BY: readonly [routes: RegExp, scopes: readonly ApiScope[]][] = [
  [/^POST .v1.actions$/, ['publish']],
  [/^POST .v1.outcomes$/, ['report']],
  [/^GET .v1.actions./, ['publish', 'audit']],
  [/^GET .v1.agents.{id}.kill-status$/, ['publish', 'audit', 'operate']],
  [/^GET .v1.kills.stream$/, ['publish', 'operate']],
  [/^POST .v1.(agents.{id}.)?(kill|revive)$/, ['operate']],
  [/^POST .v1.budgets.adjust$/, ['operate', 'operate:limits']],
  [/^POST .v1.(approvals.{id}.(grant|deny)|alerts.drift)$/, ['operate']],
  [/^GET .v1.(ledger.agents|audit.sums)/, ['audit', 'operate']],
  [/^GET .v1.ledger/, ['operate']],
  [/^GET .v1.(alerts$|audit.dead-letters)/, ['audit', 'operate:all']],
  [/^POST .v1.alerts./, ['operate', 'operate:all']],
  [/^GET .v1.approvals/, ['audit', 'operate']],
  [/^(GET|POST) .v1.dead-letters/, ['operate:all']],
  [/^GET .v1.audit./, ['audit']],
  [/^GET .v1.persons.erasures$/, ['audit', 'persons']],
  [/^POST .v1.persons./, ['persons']],
  [/^(GET .v1.(agents|lint|mandates|policies|rules)|POST .v1.mandates.preview$)/, ['audit', 'author']],
  [/^(DELETE|GET|POST) .v1.keys/, ['admin']],
  [/^DELETE .v1.agents.{id}.keys/, ['admin', 'author']],
  [/^(DELETE|POST|PUT) .v1.(agents|mandates|policies|rules)/, ['author']],
  [/^GET .v1.tenants.{id}$/, ['audit', 'author', 'operate:all']],
  [/^(DELETE|GET|POST|PUT) .v1.tenants/, ['operate:all']],
];
function scopesOf(operation: Described): readonly string[] {
  return OPENED_BY.find(([routes]) => routes.test(nameOf(operation)))?.[1] ?? [];
}

/** A caller that is refused often is asked to wait, by address: so these ask from one after the other. */
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

/** The callers without a valid key, so far. */
async function strangersOnRecord(): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const { value } of await recordsOf(plane.bus, TOPICS.access)) {
    const { tenant, key, method, route, parameters, refused, code } = readAccessRecord(value).read;
    if (code !== 'UNAUTHENTICATED') continue;
    expect(refused).toBe(true);
    const name = `${tenant} ${key?.name} ${method} ${route}`;
    sums[name] = (sums[name] ?? 0) + Number(parameters.refusals ?? 1);
  }
  return sums;
}

/** Each of these keys, at each route that takes any, as strangers are on record: `by` is their tenant and name. */
async function expectRefusedAndOnRecord(keys: readonly { by: string; key: string | null }[]): Promise<void> {
  const expected = await strangersOnRecord();
  for (const operation of keyed)
    for (const { by, key } of keys) {
      const { status, code } = await askAnew(operation, key);
      expect([nameOf(operation), by, status, code]).toEqual([nameOf(operation), by, 401, 'UNAUTHENTICATED']);
      const name = `${by} ${routeOf(operation)}`;
      expected[name] = (expected[name] ?? 0) + 1;
    }
  const sumOf = (sums: Record<string, number>) => Object.values(sums).reduce((sum, one) => sum + one, 0);
  await waitUntil('all of them', async () => sumOf(await strangersOnRecord()) === sumOf(expected));
  expect(await strangersOnRecord()).toEqual(expected);
}

test('without a key, or with one that is not known here, nothing is answered but what is for everybody; it is on record', async () => {
  for (const operation of operations.filter((one) => !keyed.includes(one)))
    for (const key of [null, unknown.key]) {
      expect([nameOf(operation), (await askAnew(operation, key)).status]).toEqual([nameOf(operation), 200]);
    }
  const ofNobody = [null, unknown.key, 'sk-none'].map((key) => ({ by: 'null undefined', key }));
  await expectRefusedAndOnRecord([...ofNobody, { by: 'acme forged', key: forged.key }]);
  expect(operations.filter((one) => !keyed.includes(one)).map(({ tags }) => tags)).toEqual(
    expect.arrayContaining([['health']]),
  );
});

test('a key opens the routes that take its scope and no others; whoever is turned away is on record, once', async () => {
  const turnedAway: string[] = [];
  for (const operation of keyed) {
    const said = operation.security[0]?.bearer ?? [];
    expect([nameOf(operation), new Set(said)]).toEqual([nameOf(operation), new Set(scopesOf(operation))]);
    const askAll = (callers: readonly Caller[]) =>
      Promise.all(callers.map(async (caller) => ({ ...caller, ...(await ask(operation, caller.key)) })));
    // One after the other: a tenant has no more than four exports at once.
    const asked = [...(await askAll(OF_ONE_SCOPE)), ...(await askAll(ofRoles))];
    for (const { name, scopes, status, text } of asked) {
      const isLetIn = scopes.some((scope) => scopesOf(operation).includes(scope));
      expect([nameOf(operation), name, status === 403]).toEqual([nameOf(operation), name, !isLetIn]);
      if (isLetIn) expect(status, `${nameOf(operation)} as ${name}: ${text}`).toBeLessThan(500);
      else {
        expect(JSON.parse(text)).toMatchObject({ code: 'FORBIDDEN' });
        turnedAway.push(`${name} ${routeOf(operation)}`);
      }
    }
  }
  const reads = (await recordsOf(plane.bus, TOPICS.access)).map(({ value }) => readAccessRecord(value).read);
  const onRecord = reads
    .filter(({ refused, code }) => refused && code !== 'UNAUTHENTICATED')
    .map(({ key, method, route }) => `${key?.name} ${method} ${route}`);
  expect(onRecord.sort()).toEqual(turnedAway.sort());
});

/** For routes that take an id of the caller's choice; it is in nothing of acme's. */
const SPY = 'spy-1';
/** What else of globex's has an id, which acme could have learnt. */
const spied: string[] = [SPY];

/** Itself: a tenant that was opened has an id like all else. */
const THEM = 'globex';

/** What is read of the answers to what is put there: each has its own of it. */
type Made = {
  id: string;
  revision: number;
  key: { id: string };
  mandate: { id: string };
  decision: Decision;
  commandId: string;
};

async function put<Answer = Made>(key: string, path: string, body: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(plane.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  expect([path, answer.ok]).toEqual([path, true]);
  return (await answer.json()) as Answer;
}

async function seed(): Promise<void> {
  const agent = await put(theirs.key, '/v1/agents', { id: SPY, groups: ['spies'] });
  const toolPolicies = { pay: { requiresConfirmation: true } };
  const allowedTools = ['look', 'pay'];
  await put(theirs.key, '/v1/policies', { version: 1, id: SPY, allowedTools, toolPolicies });
  await put(theirs.key, '/v1/rules', { version: 1, id: SPY, policy: SPY, groups: ['spies'] });
  const { mandate } = await put(theirs.key, '/v1/mandates/issue', { agentId: SPY });
  const action = { id: SPY, agentId: SPY, type: 'tool_call', tool: 'look' };
  const { decision } = await put(theirs.key, '/v1/actions?waitMs=20000', action);
  const paying = { ...action, id: `${SPY}-pays`, tool: 'pay' };
  const waiting = await put(theirs.key, '/v1/actions?waitMs=20000', paying);
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
    mandate.id,
    decision.id,
    kill.commandId,
    letter.deadLetter.id,
    idOfChange(agent.revision),
  );
  spied.push(approvalId(waiting.decision));
}

const NAMING = /^(agent|agentId)$/;
/** The parameters that name something. Filters of the audit are asked in fuzz-openapi.test.ts. */
const namesIn = ({ path, parameters = [] }: Described) =>
  parameters
    .filter(({ schema }) => schema.type !== 'integer')
    .filter((one) => one.in === 'path' || (NAMING.test(one.name) && !path.startsWith('/v1/audit')))
    .map(({ name }) => name);

/** A request that names this id wherever one may be named; of two in a path the first is who has it. */
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

/** But for what differs each time. */
async function answered(operation: Described, key: string, id: string, owner: string): Promise<string> {
  const { status, text } = await ask(operation, key, naming(operation, id, owner));
  if (operation.method !== 'GET') return `${status} ${JSON.parse(text).code}`;
  const same = text.replaceAll(/"requestId":"[^"]*"|\d{4}-\d\d-\d\dT[\d:.]+Z/g, '');
  return `${status} ${same.replaceAll(id, 'ID').replaceAll(owner, 'OWNER')}`;
}

/** An id of the same length that does not exist: a number less may be a change of acme's. */
const nobodys = (id: string) => id.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'));

test("another tenant's ids are those of nobody, wherever one may be named; nothing of it is in any list, nor changed", async () => {
  await seed();
  const ofATenant = keyed.filter((one) => scopesOf(one).some((scope) => scope !== 'operate:all'));
  const named = ofATenant.filter((one) => namesIn(one).length > 0 || one.requestBody !== undefined);
  const shown = named.filter(({ method }) => method === 'GET');
  expect(shown.length).toBeGreaterThan(10);

  for (const operation of ofATenant.filter(({ method }) => method === 'GET')) {
    const { status, text } = await ask(operation, ours.key);
    // Who asks for another tenant is on record with its name.
    for (const id of spied.filter((one) => one !== THEM))
      expect([nameOf(operation), status, text.includes(id)]).toEqual([nameOf(operation), status, false]);
    if (!operation.parameters?.some(({ name }) => name === 'tenant')) continue;
    const values = new Map([...requiredValues(operation), ['tenant', 'globex']]);
    expect([nameOf(operation), (await ask(operation, ours.key, { values })).status]).toEqual([
      nameOf(operation),
      403,
    ]);
  }

  const seenByThem = async () => {
    const seen = new Map<string, string>();
    for (const operation of shown)
      for (const id of spied)
        seen.set(`${nameOf(operation)} ${id}`, await answered(operation, theirs.key, id, SPY));
    return seen;
  };
  const before = await seenByThem();
  // Else what was looked for was not there to be seen.
  const unseen = [];
  for (const operation of shown) {
    const nobody = await answered(operation, theirs.key, nobodys(SPY), nobodys(SPY));
    if (spied.every((id) => before.get(`${nameOf(operation)} ${id}`) === nobody))
      unseen.push(nameOf(operation));
  }
  expect(unseen).toEqual([]);

  // What shows first: what acme does may make something of its own under such an id.
  for (const operation of [...shown, ...named.filter((one) => !shown.includes(one))])
    for (const id of spied)
      expect([nameOf(operation), id, await answered(operation, ours.key, id, SPY)]).toEqual([
        nameOf(operation),
        id,
        await answered(operation, ours.key, nobodys(id), nobodys(SPY)),
      ]);
  expect(await seenByThem()).toEqual(before);
});

test('a key that was revoked opens nothing, wherever it did; that it was shown is on record', async () => {
  for (const { id } of ofRoles) {
    const headers = { authorization: `Bearer ${ours.key}` };
    expect((await fetch(`${plane.url}/v1/keys/${id}`, { method: 'DELETE', headers })).status).toBe(200);
  }
  await expectRefusedAndOnRecord(ofRoles.map(({ name, key }) => ({ by: `acme ${name}`, key })));
});

/** What is left where a tenant is closed: to read, to report what ran, to forget people, and to revoke keys. */
const LEFT: readonly ApiScope[] = ['publish', 'report', 'audit', 'persons', 'admin'];

test('a key of a closed tenant opens what reads, and changes nothing; what it may not is on record', async () => {
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
