/**
 * Tests that every route that writes has a quota. The OpenAPI document lists the routes. ROUTE_RECORDS lists the
 * records that each route writes. The test calls each route and compares the log with ROUTE_RECORDS.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPlane, planeConfig } from '@mandate/plane';
import { dataFolder, silentLogger } from '@mandate/runtime';
import { API_SCOPES, GRAVE_ROUTES, ROUTE_RECORDS, readAccessRecord, TOPICS } from '@mandate/schemas';
import { fileKeyStore, issueApiKey } from '@mandate/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordsOf } from '../support/gateway-plane.ts';
import {
  type Described,
  examplesOf,
  type OpenApi,
  operationsOf,
  requiredValues,
  urlOf,
} from './described.ts';

/** The name of a tenant. Its limits allow it to write nothing. */
const LIMITED = 'limited';
const NOTHING = { perSecond: 0, burst: 0, perDay: 0 };

const issue = (tenant: string) =>
  issueApiKey({ tenant, name: 'all', scopes: [...API_SCOPES], agents: ['*'] });
const [free, limited] = [issue('free'), issue(LIMITED)];
const folder = mkdtempSync(join(tmpdir(), 'mandate-records-'));
let plane: Awaited<ReturnType<typeof openPlane>>;
let operations: Described[];

beforeAll(async () => {
  const keys = fileKeyStore(dataFolder(folder).keys);
  for (const { record } of [free, limited]) await keys.add(record);
  // A person can be found only if the privacy document seals a field.
  writeFileSync(dataFolder(folder).privacy, 'version: 1\nfields: [{ path: args.note, do: seal }]\n');
  plane = await openPlane(planeConfig.parse({ PLANE_DATA_PATH: folder, PLANE_PORT: 0 }), silentLogger());
  operations = operationsOf((await (await fetch(`${plane.url}/openapi.json`)).json()) as OpenApi);
  const quotas = { publish: { records: NOTHING }, changes: NOTHING, reads: NOTHING };
  const opened = await fetch(`${plane.url}/v1/tenants`, {
    method: 'POST',
    headers: { authorization: `Bearer ${free.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ version: 1, id: LIMITED, quotas }),
  });
  expect(opened.status).toBe(201);
});
afterAll(async () => {
  await plane.stop();
  rmSync(folder, { recursive: true });
});

const nameOf = ({ method, path }: Described) => `${method} ${path}`;
const lineOf = (operation: Described) =>
  ROUTE_RECORDS.find(({ routes }) => routes.includes(nameOf(operation)));
const countedBy = (...quotas: (string | null)[]) =>
  operations.filter((operation) => quotas.includes(lineOf(operation)?.quota ?? null));

/** Returns the status and code of the answer. A stream is closed after its beginning. */
async function ask(operation: Described, key: string): Promise<{ status: number; code: string | null }> {
  const [example] = examplesOf(operation);
  const answer = await fetch(new URL(urlOf(operation, requiredValues(operation)), plane.url), {
    method: operation.method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(operation.requestBody && { 'content-type': 'application/json' }),
    },
    body: operation.requestBody === undefined ? null : JSON.stringify(example),
  });
  if (!answer.ok) return { status: answer.status, code: ((await answer.json()) as { code: string }).code };
  await answer.body?.cancel();
  return { status: answer.status, code: null };
}

/** Returns how many records each topic contains. */
async function lengths(): Promise<Record<string, number>> {
  const all: Record<string, number> = {};
  for (const [name, topic] of Object.entries(TOPICS)) {
    const ranges = await plane.bus.ranges(topic).catch(() => []);
    all[name] = ranges.reduce((sum, { endOffset }) => sum + endOffset, 0);
  }
  return all;
}

/** Returns the topics that grew during `work`, each with the number of new records. */
async function appendedBy(work: () => Promise<void>): Promise<Record<string, number>> {
  const before = await lengths();
  await work();
  const after = await lengths();
  const grown = Object.entries(after).map(([name, length]) => [name, length - (before[name] ?? 0)] as const);
  return Object.fromEntries(grown.filter(([, records]) => records > 0));
}

describe('the table ROUTE_RECORDS', () => {
  test('contains every route of the OpenAPI document once, and no other route', () => {
    const lines = ROUTE_RECORDS.flatMap(({ routes }) => routes);
    expect(lines.toSorted()).toEqual(operations.map(nameOf).toSorted());
  });

  test('contains every route that needs a fresh sign-in', () => {
    expect(GRAVE_ROUTES.filter((route) => !operations.map(nameOf).includes(route))).toEqual([]);
  });

  test('names a quota for each route that writes', () => {
    const without = ROUTE_RECORDS.filter(({ topics, quota }) => topics.length > 0 && quota === null);
    expect(without).toEqual([]);
  });
});

test('a route without a quota writes nothing', async () => {
  const routes = countedBy(null);
  expect(routes.length).toBeGreaterThan(5);
  const appended = await appendedBy(async () => {
    for (const operation of routes) expect((await ask(operation, free.key)).status).toBeLessThan(300);
  });
  expect(appended).toEqual({});
});

test('a route that reads writes at most one access record, and nothing else', async () => {
  for (const operation of countedBy('reads')) {
    const appended = await appendedBy(async () => void (await ask(operation, free.key)));
    expect([nameOf(operation), { access: 1, ...appended }]).toEqual([nameOf(operation), { access: 1 }]);
  }
});

const CODES = { publish: 'TOO_MANY_RECORDS', changes: 'TOO_MANY_CHANGES', reads: 'TOO_MANY_READS' } as const;

test.each(Object.entries(CODES))(
  'at every route with the quota %s, refuses a tenant that has used up the quota, and writes nothing',
  async (quota, code) => {
    const appended = await appendedBy(async () => {
      for (const operation of countedBy(quota)) {
        const answer = await ask(operation, limited.key);
        const expected = { status: 429, code };
        expect([nameOf(operation), answer]).toEqual([nameOf(operation), expected]);
      }
    });
    // Only the first refusal is recorded at once. The others are counted and recorded later.
    const { access = 0, ...others } = appended;
    expect(others).toEqual({});
    expect(access).toBeLessThanOrEqual(countedBy(quota).length);
    const reads = (await recordsOf(plane.bus, TOPICS.access)).map(
      ({ value }) => readAccessRecord(value).read,
    );
    expect(reads.filter(({ tenant, refused }) => tenant === LIMITED && !refused)).toEqual([]);
  },
);

test('a tenant without changes left can kill itself, but cannot kill an unknown agent', async () => {
  const [agent, wide] = countedBy('kills');
  if (agent === undefined || wide === undefined) throw new Error('no route kills');
  const appended = await appendedBy(async () => {
    expect(await ask(agent, limited.key)).toEqual({ status: 429, code: 'TOO_MANY_CHANGES' });
    for (let at = 0; at < 5; at += 1)
      expect(await ask(wide, limited.key)).toEqual({ status: 200, code: null });
  });
  expect(appended).toMatchObject({ decisions: 1 });
});
