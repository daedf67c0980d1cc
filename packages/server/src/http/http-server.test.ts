import { MandateError } from '@mandate/runtime';
import { APPROVAL_ID_UNITS, type ApiScope, CAPS } from '@mandate/schemas';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { issueApiKey } from '../api-keys/api-key-record.ts';
import { type KeyStore, memoryKeyStore } from '../api-keys/key-store.ts';
import { createMetrics } from '../metrics.ts';
import { createLogger } from '../pino-logger.ts';
import { callerOf } from './authenticate.ts';
import { createHttpServer } from './create-http-server.ts';
import type { HttpLimits } from './http-limits.ts';
import { HttpProblem } from './http-problem.ts';
import type { HttpServerOptions } from './http-server.ts';
import type { HttpRoutes, HttpServer } from './http-server-type.ts';
import { rawBody } from './json-body.ts';

const issue = (scopes: ApiScope[]) => issueApiKey({ tenant: 'acme', scopes, agents: ['*'], name: 'n' });
const publisher = issue(['publish']);
const auditor = issue(['audit']);

/** A service in the small: a plugin with one route of each sort. */
const routes: HttpRoutes = async (server) => {
  server.get('/v1/public', { config: { public: true } }, () => ({ open: true }));
  server.get('/v1/header', { config: { public: true } }, (_request, reply) =>
    reply.header('x-told', '€\r\n').send('told'),
  );
  server.get('/v1/forgotten', () => ({ open: true }));
  server.get(
    '/v1/either',
    { config: { scope: ['publish', 'audit'] } },
    (request) => callerOf(request).scopes,
  );
  server.get('/v1/whoami', { config: { scope: 'publish' } }, (request) => ({
    tenant: callerOf(request).tenant,
    traceparent: request.traceparent,
  }));
  server.post(
    '/v1/things/:id',
    {
      config: { scope: 'publish' },
      schema: {
        params: z.object({ id: z.string().max(200) }),
        querystring: z.object({ waitMs: z.coerce.number().int().min(0).max(1_000).default(0) }),
        body: z.strictObject({ amounts: z.array(z.int()) }),
        response: { 200: z.object({ id: z.string(), sum: z.int(), waitMs: z.int() }) },
      },
    },
    ({ params, query, body }) => ({
      id: params.id,
      waitMs: query.waitMs,
      sum: body.amounts.reduce((sum, amount) => sum + amount, 0),
    }),
  );
  server.post('/v1/open', { config: { scope: 'publish' } }, ({ body }) => ({
    keys: Object.keys(Object(body)).length,
  }));
  server.post(
    '/v1/raw',
    {
      config: { scope: 'publish', rawJson: true },
      bodyLimit: 64,
      schema: { body: z.object({ documented: z.string() }) },
    },
    (request) => ({ text: rawBody(request).toString() }),
  );
  server.delete('/v1/raw/:id', { config: { scope: 'publish' } }, ({ body }) => ({ body: body ?? 'none' }));
  server.get<{ Params: { kind: string } }>('/v1/fail/:kind', { config: { public: true } }, ({ params }) => {
    if (params.kind === 'away') {
      throw new MandateError('LEDGER_UNAVAILABLE', 'the ledger is away', {
        remedy: 'Try later.',
        retryable: true,
      });
    }
    if (params.kind === 'broken') {
      throw new MandateError('LEDGER_CORRUPT', 'bad page in /var/lib/x', { remedy: 'Restore /var/lib/x.' });
    }
    if (params.kind === 'missing') {
      throw new HttpProblem(404, 'ACTION_NOT_FOUND', 'no such action', {
        remedy: 'Check the id.',
        cause: new Error('of a layer below'),
      });
    }
    throw new Error('postgres://user:hunter2@db');
  });
};

let server: HttpServer;
afterEach(() => server.close());

async function serve(options: Partial<HttpServerOptions> = {}) {
  const lines: string[] = [];
  const metrics = createMetrics({ service: 'test' });
  server = await createHttpServer({
    service: 'test',
    version: '1.2.3',
    log: createLogger({ name: 'test', destination: { write: (line) => lines.push(line) } }),
    metrics,
    keys: memoryKeyStore([publisher.record, auditor.record]),
    readiness: async () => [{ name: 'bus', ok: true }],
    ...options,
  });
  await server.register(routes);
  await server.ready();
  return { lines };
}

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const json = { 'content-type': 'application/json' };
const post = (url: string, payload: string | Buffer, headers: Record<string, string> = json) =>
  server.inject({ method: 'POST', url, payload, headers: { ...bearer(publisher.key), ...headers } });

describe('credentials', () => {
  test('a key opens routes of its scope, as bearer or as x-api-key', async () => {
    await serve();
    for (const headers of [
      bearer(publisher.key),
      { authorization: `bearer ${publisher.key}` },
      { 'x-api-key': publisher.key },
    ]) {
      const answer = await server.inject({ url: '/v1/whoami', headers });
      expect(answer.statusCode).toBe(200);
      expect(answer.json()).toMatchObject({ tenant: 'acme' });
    }
  });

  test.each([
    ['nothing', {}, 'an API key is required'],
    ['no bearer', { authorization: 'Basic dXNlcjpwYXNz' }, 'an API key is required'],
    ['a mistyped key', bearer(`${publisher.key.slice(0, -1)}!`), 'its form or its checksum is wrong'],
    ['an unknown key', bearer(issue(['publish']).key), 'unknown or revoked'],
    [
      'two keys in one header',
      { 'x-api-key': `${publisher.key}, ${publisher.key}` },
      'its form or its checksum',
    ],
  ])('%s is unauthenticated', async (_case, headers, detail) => {
    const { lines } = await serve();
    const answer = await server.inject({ url: '/v1/whoami', headers });
    expect(answer.statusCode).toBe(401);
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm="mandate"/);
    expect(answer.json()).toMatchObject({ code: 'UNAUTHENTICATED', detail: expect.stringContaining(detail) });
    expect(lines.filter((line) => line.includes('request refused'))).toHaveLength(1);
  });

  test('a key that has expired is told so, and lets nobody in again', async () => {
    const { key, record } = issueApiKey({
      ...{ tenant: 'acme', scopes: ['publish'], agents: ['*'], name: 'for a while' },
      lastsMs: 60_000,
    });
    let nowMs = Date.now();
    await serve({ keys: memoryKeyStore([record], () => nowMs) });
    expect((await server.inject({ url: '/v1/whoami', headers: bearer(key) })).statusCode).toBe(200);
    nowMs += 60_000;
    const answer = await server.inject({ url: '/v1/whoami', headers: bearer(key) });
    expect(answer.statusCode).toBe(401);
    expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
    expect(answer.json()).toMatchObject({
      code: 'KEY_EXPIRED',
      detail: `this API key expired at ${record.expiresAt}`,
    });
  });

  test('a refusal is logged with the public id of the key and without its secret', async () => {
    const { lines } = await serve();
    const stranger = issue(['publish']);
    await server.inject({ url: '/v1/whoami', headers: bearer(stranger.key) });
    expect(lines.join()).toContain(stranger.record.id);
    expect(lines.join()).not.toContain(stranger.key.slice(20, 43));
  });

  test('a key without the scope is forbidden, and told which it lacks', async () => {
    const { lines } = await serve();
    const answer = await server.inject({ url: '/v1/whoami', headers: bearer(auditor.key) });
    expect(answer.statusCode).toBe(403);
    expect(answer.json()).toMatchObject({
      code: 'FORBIDDEN',
      remedy: 'Use a key that has the scope publish.',
    });
    expect(lines.join()).toContain(auditor.record.id);
    expect((await server.inject({ url: '/v1/either', headers: bearer(auditor.key) })).json()).toEqual([
      'audit',
    ]);
  });

  test('a route that declares nothing is closed to everybody', async () => {
    await serve();
    expect((await server.inject('/v1/forgotten')).statusCode).toBe(401);
    const all = await server.inject({ url: '/v1/forgotten', headers: bearer(publisher.key) });
    expect(all.statusCode).toBe(403);
  });

  test('a public route asks nobody', async () => {
    await serve();
    expect((await server.inject('/v1/public')).json()).toEqual({ open: true });
  });

  test('without a key store only public routes answer', async () => {
    await serve({ keys: null });
    expect((await server.inject('/v1/public')).statusCode).toBe(200);
    expect((await server.inject({ url: '/v1/whoami', headers: bearer(publisher.key) })).statusCode).toBe(401);
  });

  test('when the key store cannot know, nobody is let in', async () => {
    const keys: KeyStore = {
      ...memoryKeyStore([]),
      find: () =>
        Promise.reject(new MandateError('KEY_FILE_EXPOSED', 'keys.json is open', { remedy: 'chmod' })),
    };
    await serve({ keys });
    const answer = await server.inject({ url: '/v1/whoami', headers: bearer(publisher.key) });
    expect(answer.statusCode).toBe(500);
    expect(answer.json()).toMatchObject({ code: 'KEY_FILE_EXPOSED' });
    expect(answer.body).not.toContain('keys.json');
  });

  test('is refused before the body is read', async () => {
    await serve();
    const answer = await server.inject({
      method: 'POST',
      url: '/v1/raw',
      payload: 'x'.repeat(1_000),
      headers: json,
    });
    expect(answer.statusCode).toBe(401);
  });
});

describe('rates', () => {
  const limits: Partial<HttpLimits> = { requestsPerKeyPerSecond: 3, refusalsPerAddressPerMinute: 2 };

  test('a key that asks too often is told when to come back; another key is not affected', async () => {
    await serve({ limits });
    const ask = (key: string) => server.inject({ url: '/v1/either', headers: bearer(key) });
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(publisher.key)));
    const refused = answers.filter((answer) => answer.statusCode === 429);
    expect(refused.length).toBeGreaterThanOrEqual(2);
    expect(refused[0]?.json()).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    expect(refused[0]?.headers).toMatchObject({
      'content-type': 'application/problem+json; charset=utf-8',
      'retry-after': '1',
      'ratelimit-limit': '3',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '1',
    });
    const other = await ask(auditor.key);
    expect([other.statusCode, other.headers['ratelimit-remaining']]).toEqual([200, '2']);
  });

  test('a POST is told of it when it is refused', async () => {
    await serve({ limits });
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => post('/v1/things/7', '{"amounts": []}')),
    );
    for (const { statusCode, headers } of answers)
      expect('ratelimit-limit' in headers).toBe(statusCode === 429);
    expect(answers.filter(({ statusCode }) => statusCode === 429).length).toBeGreaterThanOrEqual(2);
  });

  test('an address that keeps failing is slowed down; a good key from there is not', async () => {
    const { lines } = await serve({ limits });
    const statuses = [];
    for (let i = 0; i < 4; i += 1) statuses.push((await server.inject('/v1/whoami')).statusCode);
    expect(statuses).toEqual([401, 401, 429, 429]);
    expect((await server.inject({ url: '/v1/whoami', headers: bearer(publisher.key) })).statusCode).toBe(200);
    expect(lines.filter((line) => line.includes('request refused'))).toHaveLength(2);
    const metrics = (await server.inject('/metrics')).body;
    expect(metrics).toContain('mandate_http_refusals_total{code="TOO_MANY_REQUESTS",service="test"} 2');
  });
});

describe('problems', () => {
  test('have the form of RFC 9457, a stable code, a remedy and the request id', async () => {
    await serve();
    const answer = await server.inject({ url: '/v1/nowhere?secret=1', headers: { 'x-request-id': 'abc-1' } });
    expect(answer.statusCode).toBe(404);
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(answer.json()).toEqual({
      type: 'urn:mandate:problem:NOT_FOUND',
      title: 'Not Found',
      status: 404,
      detail: 'nothing is here',
      code: 'NOT_FOUND',
      remedy: expect.any(String),
      requestId: 'abc-1',
      instance: '/v1/nowhere',
    });
  });

  test('who sends nothing with DELETE may say that it is JSON, as curl does', async () => {
    await serve();
    const headers = { ...bearer(publisher.key), 'content-type': 'application/json' };
    const answer = await server.inject({ method: 'DELETE', url: '/v1/raw/7', headers });
    expect([answer.statusCode, answer.json()]).toEqual([200, { body: 'none' }]);
  });

  test('what a route refuses is no fault of the server, whatever it follows from', async () => {
    const { lines } = await serve();
    expect((await server.inject('/v1/fail/missing')).statusCode).toBe(404);
    expect(lines.filter((line) => line.includes('request failed'))).toEqual([]);
  });

  test('a wrong method at a right path is told from a wrong path', async () => {
    await serve();
    const answer = await server.inject({ method: 'DELETE', url: '/v1/things/7' });
    expect(answer.statusCode).toBe(405);
    expect(answer.headers.allow).toBe('POST');
    expect((await server.inject({ method: 'OPTIONS', url: '/v1/whoami' })).headers.allow).toBe('GET, HEAD');
    expect((await server.inject({ method: 'DELETE', url: '/v1/things' })).statusCode).toBe(404);
  });

  test.each([
    ['HEAD', '/nowhere', 404],
    ['HEAD', '/v1/things/7', 405],
    ['OPTIONS', '/nowhere', 404],
    ['OPTIONS', '/v1/things/7', 405],
    ['TRACE', '/v1/whoami', 405],
    ['DELETE', '/openapi.json', 405],
  ] as const)('%s %s is answered like any other: %d', async (method, url, status) => {
    await serve();
    const answer = await server.inject({ method: method as 'GET', url });
    expect(answer.statusCode).toBe(status);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/problem+json; charset=utf-8',
      'cache-control': 'no-store',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    if (method === 'HEAD') expect(answer.body).toBe('');
    else expect(answer.json()).toMatchObject({ status, requestId: answer.headers['x-request-id'] });
  });

  test('HEAD of what needs a key is refused as GET is', async () => {
    await serve();
    const head = async (key: string) =>
      (await server.inject({ method: 'HEAD', url: '/v1/whoami', headers: bearer(key) })).statusCode;
    expect([await head(publisher.key), await head(auditor.key), await head('x')]).toEqual([200, 403, 401]);
  });

  test('validation names every place, by JSON pointer', async () => {
    await serve();
    const answer = await post('/v1/things/7', '{"amounts": [1, "x", 2.5], "more": 1}');
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({
      code: 'VALIDATION_FAILED',
      remedy: expect.stringContaining('errors'),
    });
    expect(answer.json().errors).toEqual([
      { in: 'body', pointer: '/more', detail: 'is not a known field; known here: amounts' },
      { in: 'body', pointer: '/amounts/1', detail: 'must be a number, not a string' },
      { in: 'body', pointer: '/amounts/2', detail: 'must be a whole number, not 2.5' },
    ]);
    const query = await post('/v1/things/7?waitMs=5000', '{"amounts": []}');
    expect(query.json().errors).toEqual([{ in: 'query', pointer: '/waitMs', detail: expect.any(String) }]);
    const path = await post(`/v1/things/${'x'.repeat(201)}`, '{"amounts": []}');
    expect(path.json()).toMatchObject({
      detail: expect.stringMatching(/^the path is not as described: \/id: /),
      errors: [{ in: 'path', pointer: '/id' }],
    });
  });

  test('a good request passes validation', async () => {
    await serve();
    const answer = await post('/v1/things/7?waitMs=5', '{"amounts": [1, 2]}');
    expect(answer.json()).toEqual({ id: '7', sum: 3, waitMs: 5 });
  });

  test.each([
    ['{"amounts": [1,]}', 'INVALID_JSON'],
    ['', 'INVALID_JSON'],
    ['{"__proto__": {"x": 1}, "amounts": []}', 'INVALID_JSON'],
    ['{"constructor": {"prototype": {"x": 1}}, "amounts": []}', 'INVALID_JSON'],
    [Buffer.from([0x22, 0xff, 0x22]), 'INVALID_JSON'],
  ])('%j is refused', async (payload, code) => {
    await serve();
    const answer = await post('/v1/things/7', payload);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ code });
  });

  test.each([
    [
      'a key that stands twice',
      '{"amounts": [1],\n "amounts": [100]}',
      'line 2, column 2: the key "amounts"',
    ],
    ['an integer that would be rounded', '{"amounts": [9007199254740993]}', 'line 1, column 14: the integer'],
    ['half a character', '{"amounts": ["\\ud800"]}', 'line 1, column 14: a string holds half'],
    ['__proto__', '{"amounts": [], "__proto__": {}}', 'line 1, column 17: the key "__proto__"'],
    ['constructor', '{"amounts": [], "constructor": 1}', 'line 1, column 17: the key "constructor"'],
    ['too deep a list', `{"amounts": ${nested(CAPS.bodyDepth)}}`, 'column 140: nested deeper than 128'],
    ['a list as deep as no stack', `{"amounts": ${nested(100_000)}}`, 'column 140: nested deeper than 128'],
    ['more than one value', '{"amounts": []} {}', 'line 1, column 17: there is more'],
  ])('%s is told with its place', async (_case, payload, detail) => {
    const { lines } = await serve();
    const answer = await post('/v1/things/7', payload);
    expect(answer.json()).toMatchObject({
      status: 400,
      code: 'INVALID_JSON',
      detail: expect.stringContaining(detail),
      remedy: expect.stringMatching(/^[A-Z].+\.$/),
    });
    expect(lines.filter((line) => line.includes('request failed'))).toEqual([]);
  });

  test('a body holds what its bytes hold, whatever a record may', async () => {
    await serve();
    const amounts = Array.from({ length: CAPS.elements * 2 }, () => 1);
    expect((await post('/v1/things/7', JSON.stringify({ amounts }))).json()).toMatchObject({ sum: 40_000 });
    const wide = Object.fromEntries(amounts.map((_, at) => [`k${at}`, 0]));
    const long = { ...wide, text: 'x'.repeat(CAPS.stringUnits + 1) };
    expect((await post('/v1/open', JSON.stringify(long))).json()).toEqual({ keys: 40_001 });
    const deep = `{"amounts": ${nested(CAPS.bodyDepth - 1)}}`;
    expect((await post('/v1/things/7', deep)).json()).toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  test('only JSON is accepted, and only as it is', async () => {
    await serve();
    expect((await post('/v1/things/7', 'amounts=1', { 'content-type': 'text/plain' })).json()).toMatchObject({
      status: 415,
      code: 'UNSUPPORTED_MEDIA_TYPE',
    });
    expect((await post('/v1/things/7', '{}', { ...json, 'content-encoding': 'gzip' })).json()).toMatchObject({
      status: 415,
      code: 'UNSUPPORTED_ENCODING',
    });
    const cloudEvent = { 'content-type': 'application/cloudevents+json; charset=utf-8' };
    expect((await post('/v1/things/7', '{"amounts": []}', cloudEvent)).statusCode).toBe(200);
  });

  test('a body beyond the limit is refused, by the default or by the route', async () => {
    await serve({ limits: { bodyBytes: 100 } });
    for (const url of ['/v1/things/7', '/v1/raw']) {
      const answer = await post(url, `"${'x'.repeat(200)}"`);
      expect(answer.statusCode).toBe(413);
      expect(answer.json()).toMatchObject({
        code: 'BODY_TOO_LARGE',
        detail: expect.stringMatching(/ (100|64) bytes/),
      });
    }
  });

  test('a fault that may pass is 503 with its own text', async () => {
    await serve();
    const answer = await server.inject('/v1/fail/away');
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toBe('1');
    expect(answer.json()).toMatchObject({
      code: 'LEDGER_UNAVAILABLE',
      detail: 'the ledger is away',
      remedy: 'Try later.',
    });
  });

  test('a fault that will not pass is 500 with its code alone', async () => {
    const { lines } = await serve();
    const answer = await server.inject('/v1/fail/broken');
    expect(answer.statusCode).toBe(500);
    expect(answer.json()).toMatchObject({ code: 'LEDGER_CORRUPT' });
    expect(answer.body).not.toContain('/var/lib');
    expect(lines.join()).toContain('/var/lib/x');
  });

  test('an unknown error says nothing to the caller and everything to the log', async () => {
    const { lines } = await serve();
    const answer = await server.inject('/v1/fail/x');
    expect(answer.statusCode).toBe(500);
    expect(answer.json()).toMatchObject({
      code: 'INTERNAL_ERROR',
      requestId: answer.headers['x-request-id'],
    });
    expect(answer.body).not.toContain('hunter2');
    expect(lines.join()).toContain('hunter2');
    expect(lines.join()).toContain(String(answer.headers['x-request-id']));
  });

  test("a route's own refusal is answered as thrown", async () => {
    await serve();
    const answer = await server.inject('/v1/fail/missing');
    expect(answer.json()).toMatchObject({ status: 404, code: 'ACTION_NOT_FOUND', remedy: 'Check the id.' });
  });

  test('a path that is no URL, or has too long a part, is a problem too', async () => {
    await serve();
    expect((await server.inject('/v1/things/%zz')).json()).toMatchObject({
      status: 400,
      code: 'INVALID_URL',
    });
    const long = await server.inject(`/v1/fail/${'x'.repeat(APPROVAL_ID_UNITS + 1)}`);
    expect(long.json()).toMatchObject({ status: 414, code: 'INVALID_URL' });
  });
});

describe('raw bodies', () => {
  test('arrive byte for byte, unparsed and unchecked', async () => {
    await serve();
    expect((await post('/v1/raw', '{"a":1,"a":2}')).json()).toEqual({ text: '{"a":1,"a":2}' });
    expect((await post('/v1/raw', '{"__proto__":')).json()).toEqual({ text: '{"__proto__":' });
  });

  test('are never empty or absent', async () => {
    await serve();
    expect((await post('/v1/raw', '')).json()).toMatchObject({ code: 'INVALID_JSON' });
    const none = await server.inject({ method: 'POST', url: '/v1/raw', headers: bearer(publisher.key) });
    expect(none.json()).toMatchObject({ status: 400, code: 'INVALID_JSON' });
  });
});

describe('every answer', () => {
  test('whose header could not be sent is a fault of the server, without that header', async () => {
    const { lines } = await serve();
    const answer = await server.inject('/v1/header');
    expect([answer.statusCode, answer.headers['x-told']]).toEqual([500, undefined]);
    expect(answer.json()).toMatchObject({ code: 'INTERNAL_ERROR' });
    expect(lines.join()).toContain('ERR_INVALID_CHAR');
  });

  test('echoes a sane request id and replaces any other', async () => {
    await serve();
    const idFor = async (given: string) =>
      (await server.inject({ url: '/healthz', headers: { 'x-request-id': given } })).headers['x-request-id'];
    expect(await idFor('trace.7_x-1')).toBe('trace.7_x-1');
    for (const bad of ['', 'a b', 'x'.repeat(129), 'a\u00e9'])
      expect(await idFor(bad)).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('has the security headers, also where it refuses, and none of CORS', async () => {
    await serve();
    for (const url of ['/healthz', '/v1/whoami', '/nowhere']) {
      const { headers } = await server.inject({ url, headers: { origin: 'https://evil.example' } });
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
      expect(headers).not.toHaveProperty('access-control-allow-origin');
    }
  });

  test('a well-formed traceparent is handed to the route', async () => {
    await serve();
    const good = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    for (const [given, seen] of [
      [good, good],
      [good.replace('4bf9', '4BF9'), null],
      [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, null],
      ['rubbish', null],
    ] as const) {
      const headers = { ...bearer(publisher.key), traceparent: given };
      expect((await server.inject({ url: '/v1/whoami', headers })).json()).toMatchObject({
        traceparent: seen,
      });
    }
  });

  test('is measured by route, not by path', async () => {
    await serve();
    await server.inject('/v1/fail/1');
    await server.inject('/v1/fail/2');
    await server.inject('/v1/no/such/path');
    const { body, headers } = await server.inject('/metrics');
    expect(headers['content-type']).toContain('text/plain');
    const count = 'mandate_http_request_duration_seconds_count';
    expect(body).toContain(`${count}{service="test",method="GET",route="/v1/fail/:kind",status="500"} 2`);
    expect(body).toContain(`${count}{service="test",method="GET",route="unmatched",status="404"} 1`);
    expect(body).not.toContain('such');
  });
});
