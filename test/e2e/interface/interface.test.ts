/**
 * Tests the interface of a whole plane. The test uses it like a caller who knows only the plane's address and a key.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPlane, planeConfig } from '@mandate/plane';
import { silentLogger } from '@mandate/runtime';
import type { ApiScope } from '@mandate/schemas';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { faultsOfFields, fieldsIn } from '../../described-fields.ts';
import {
  type Described,
  fieldOfParameter,
  isStream,
  type OpenApi,
  operationsOf,
  requiredValues,
  urlOf,
} from './described.ts';
import { OPENAPI_SCHEMA } from './openapi-schema.ts';

const CONSOLE = 'https://console.example.com';

let folder: string;
let plane: Awaited<ReturnType<typeof openPlane>>;
let document: OpenApi;
let operations: Described[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mandate-interface-'));
  const mandates = join(folder, 'mandates.yaml');
  writeFileSync(mandates, 'version: 1\nid: all\nagents: ["*"]\n');
  const config = planeConfig.parse({
    PLANE_DATA_PATH: folder,
    PLANE_MANDATES_PATH: mandates,
    PLANE_PORT: 0,
    PLANE_CORS_ORIGINS: [CONSOLE],
    PLANE_REQUESTS_PER_KEY_PER_SECOND: 5_000,
  });
  plane = await openPlane(config, silentLogger());
  document = (await (await fetch(`${plane.url}/openapi.json`)).json()) as OpenApi;
  operations = operationsOf(document);
});
afterAll(async () => {
  await plane.stop();
  rmSync(folder, { recursive: true });
});

function keyOf(name: 'auditor' | 'operator'): string {
  return plane.firstKeys.find((key) => key.name === name)?.key ?? '';
}

/** Returns the status and the headers. The body is cancelled, because a stream has no end. */
async function call(operation: Described, key: string, given: Record<string, string> = {}) {
  const headers = {
    ...given,
    authorization: `Bearer ${key}`,
    ...(operation.requestBody && { 'content-type': 'application/json' }),
  };
  const url = new URL(urlOf(operation, requiredValues(operation)), plane.url);
  const body = operation.requestBody === undefined ? null : '{}';
  const answer = await fetch(url, { method: operation.method, headers, body });
  await answer.body?.cancel();
  return answer;
}

describe('the OpenAPI document', () => {
  test('is valid OpenAPI 3.1, and has every part that a reader of the document needs', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    const isValid = ajv.compile(OPENAPI_SCHEMA);
    isValid(document);
    expect(isValid.errors ?? []).toEqual([]);
  });

  test('names each operation once', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(ids.length).toBeGreaterThan(30);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('has a description of each group of operations', () => {
    const used = new Set(operations.flatMap(({ tags }) => tags));
    expect([...used].sort()).toEqual(document.tags.map(({ name }) => name).sort());
  });

  test('refers only to parts that it has', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, to]) => to ?? '');
    const held = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect([...new Set(references)].filter((to) => !held.includes(to))).toEqual([]);
    expect(references).toContain('#/components/schemas/Problem');
    const schemes = operations.flatMap(({ security }) => security.flatMap((one) => Object.keys(one)));
    expect([...new Set(schemes)].sort()).toEqual(Object.keys(document.components.securitySchemes).sort());
  });

  test('declares each path parameter once, and has an example for each body', () => {
    for (const { operationId, path, parameters = [], requestBody } of operations) {
      const named = (place: string) => parameters.filter((one) => one.in === place).map(({ name }) => name);
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect([operationId, named('path').sort()]).toEqual([operationId, inPath.sort()]);
      expect([operationId, new Set(named('query')).size]).toEqual([operationId, named('query').length]);
      const body = requestBody?.content['application/json'];
      if (requestBody !== undefined)
        expect([operationId, body?.example ?? body?.examples]).not.toEqual([operationId, undefined]);
    }
  });

  test('says what each field and each parameter holds, with a valid example', () => {
    const { schemas } = document.components;
    const contents = operations.flatMap(({ operationId, requestBody, responses }) =>
      [requestBody, ...Object.values(responses)].flatMap((part) =>
        Object.values(part?.content ?? {}).map(({ schema }) => ({ operationId, schema })),
      ),
    );
    const fields = [
      ...operations.flatMap(({ operationId, parameters = [] }) =>
        parameters.map((parameter) => fieldOfParameter(parameter, operationId)),
      ),
      ...contents.flatMap(({ operationId, schema }) => fieldsIn(schema, operationId)),
      ...Object.entries(schemas).flatMap(([name, schema]) => fieldsIn(schema, name)),
    ];
    expect(fields.length).toBeGreaterThan(1_000);
    expect(faultsOfFields(fields)).toEqual([]);
  });

  test('describes for each operation the answers to requests that fail', () => {
    for (const { operationId, path, responses, security } of operations) {
      const refusals = Object.entries(responses).filter(([status]) => !/^[23]/.test(status));
      for (const [, { content = {} }] of refusals)
        expect([operationId, Object.keys(content)]).toEqual([operationId, ['application/problem+json']]);
      // People who sign in have no key yet.
      const isKeyed = path.startsWith('/v1/') && !path.startsWith('/v1/signin');
      const expected = isKeyed ? ['401', '403', '429', '503', 'default'] : ['503', 'default'];
      expect(refusals.map(([status]) => status)).toEqual(expect.arrayContaining(expected));
      expect([operationId, security.length > 0]).toEqual([operationId, isKeyed]);
    }
  });
});

test('an auditor’s key can read the whole audit', async () => {
  const auditor: ApiScope = 'audit';
  const reads = operations.filter(({ method, path }) => method === 'GET' && path.startsWith('/v1/audit'));
  expect(reads.length).toBeGreaterThan(10);
  const found = [];
  for (const operation of reads) {
    const { status } = await call(operation, keyOf('auditor'));
    expect([operation.path, status]).toEqual([operation.path, expect.toSatisfy(isAnswer)]);
    if (status === 200) found.push(operation.path);
    expect([operation.path, operation.security[0]?.bearer]).toEqual([
      operation.path,
      expect.arrayContaining([auditor]),
    ]);
  }
  expect(found.length).toBeGreaterThan(reads.length / 2);
});

/**
 * True if the route itself has answered: with data, that something is missing, or that the request is invalid. False
 * for 401, 403, and server errors.
 */
function isAnswer(status: number): boolean {
  return status < 500 && status !== 401 && status !== 403;
}

test('the reader of a stream receives its events one by one, whichever encodings the reader accepts', async () => {
  // The stream of a run needs a run: test/e2e/runs reads it.
  const streams = operations.filter((operation) => isStream(operation) && !operation.path.includes('{'));
  expect(streams.length).toBeGreaterThan(0);
  for (const operation of streams) {
    const answer = await call(operation, keyOf('operator'), { 'accept-encoding': 'gzip, br, zstd' });
    expect([operation.path, answer.status]).toEqual([operation.path, 200]);
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(answer.headers.get('content-encoding')).toBeNull();
    expect(answer.headers.get('etag')).toBeNull();
    expect(answer.headers.get('cache-control')).toBe('no-store');
  }
});

test('the settings of pages, origins and rate limits are in force', async () => {
  const page = await fetch(`${plane.url}/docs`);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('swagger-ui')]);
  const asked = await fetch(`${plane.url}/v1/audit/decisions`, {
    method: 'OPTIONS',
    headers: { origin: CONSOLE, 'access-control-request-method': 'GET' },
  });
  expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, CONSOLE]);
  const headers = { authorization: `Bearer ${keyOf('auditor')}`, origin: CONSOLE };
  const answer = await fetch(`${plane.url}/v1/audit/decisions`, { headers });
  expect(answer.headers.get('access-control-allow-origin')).toBe(CONSOLE);
  expect(answer.headers.get('ratelimit-limit')).toBe('5000');
});
