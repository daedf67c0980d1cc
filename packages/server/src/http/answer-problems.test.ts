import { APPROVAL_ID_UNITS, CAPS } from '@mandate/schemas';
import { describe, expect, test } from 'vitest';
import { auditor, bearer, json, publisher, serve } from './small-service.fixture.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('problem documents', () => {
  test('have the form of RFC 9457, with a stable code, a remedy and the request id', async () => {
    const { server } = await serve();
    const answer = await server.inject({ url: '/v1/nowhere?secret=1', headers: { 'x-request-id': 'abc-1' } });
    expect(answer.statusCode).toBe(404);
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(answer.json()).toEqual({
      type: 'urn:mandate:problem:NOT_FOUND',
      title: 'Not Found',
      status: 404,
      detail: 'this path does not exist',
      code: 'NOT_FOUND',
      remedy: expect.any(String),
      requestId: 'abc-1',
      instance: '/v1/nowhere',
    });
  });

  test('are not the answer to a DELETE with a JSON content type and no body, as curl sends it', async () => {
    const { server } = await serve();
    const headers = { ...bearer(publisher.key), 'content-type': 'application/json' };
    const answer = await server.inject({ method: 'DELETE', url: '/v1/raw/7', headers });
    expect([answer.statusCode, answer.json()]).toEqual([200, { body: 'none' }]);
  });

  test('are not logged as faults of the server if a route refuses, for any cause', async () => {
    const { server, lines } = await serve();
    expect((await server.inject('/v1/fail/missing')).statusCode).toBe(404);
    expect(lines.filter((line) => line.includes('request failed'))).toEqual([]);
  });

  test('differ between a wrong method at a known path and a wrong path', async () => {
    const { server } = await serve();
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
  ] as const)('answer %s %s like any other request: %d', async (method, url, status) => {
    const { server } = await serve();
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

  test('refuse HEAD without a key, as they refuse GET', async () => {
    const { server } = await serve();
    const head = async (key: string) =>
      (await server.inject({ method: 'HEAD', url: '/v1/whoami', headers: bearer(key) })).statusCode;
    expect([await head(publisher.key), await head(auditor.key), await head('x')]).toEqual([200, 403, 401]);
  });

  test('name every invalid field by JSON pointer', async () => {
    const { post } = await serve();
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

  test('are not the answer to a valid request', async () => {
    const { post } = await serve();
    const answer = await post('/v1/things/7?waitMs=5', '{"amounts": [1, 2]}');
    expect(answer.json()).toEqual({ id: '7', sum: 3, waitMs: 5 });
  });

  test.each([
    ['{"amounts": [1,]}', 'INVALID_JSON'],
    ['', 'INVALID_JSON'],
    ['{"__proto__": {"x": 1}, "amounts": []}', 'INVALID_JSON'],
    ['{"constructor": {"prototype": {"x": 1}}, "amounts": []}', 'INVALID_JSON'],
    [Buffer.from([0x22, 0xff, 0x22]), 'INVALID_JSON'],
  ])('reject %j', async (payload, code) => {
    const { post } = await serve();
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
    ['half a character', '{"amounts": ["\\ud800"]}', 'line 1, column 14: a string contains half'],
    ['__proto__', '{"amounts": [], "__proto__": {}}', 'line 1, column 17: the key "__proto__"'],
    ['constructor', '{"amounts": [], "constructor": 1}', 'line 1, column 17: the key "constructor"'],
    ['too deep a list', `{"amounts": ${nested(CAPS.bodyDepth)}}`, 'column 140: nested deeper than 128'],
    ['a list as deep as no stack', `{"amounts": ${nested(100_000)}}`, 'column 140: nested deeper than 128'],
    ['more than one value', '{"amounts": []} {}', 'line 1, column 17: more text'],
  ])('report %s with its line and column', async (_case, payload, detail) => {
    const { lines, post } = await serve();
    const answer = await post('/v1/things/7', payload);
    expect(answer.json()).toMatchObject({
      status: 400,
      code: 'INVALID_JSON',
      detail: expect.stringContaining(detail),
      remedy: expect.stringMatching(/^[A-Z].+\.$/),
    });
    expect(lines.filter((line) => line.includes('request failed'))).toEqual([]);
  });

  test('are not the answer to long texts and lists in a body, although a record could not contain them', async () => {
    const { post } = await serve();
    const amounts = Array.from({ length: CAPS.elements * 2 }, () => 1);
    expect((await post('/v1/things/7', JSON.stringify({ amounts }))).json()).toMatchObject({ sum: 40_000 });
    const wide = Object.fromEntries(amounts.map((_, at) => [`k${at}`, 0]));
    const long = { ...wide, text: 'x'.repeat(CAPS.stringUnits + 1) };
    expect((await post('/v1/open', JSON.stringify(long))).json()).toEqual({ keys: 40_001 });
    const deep = `{"amounts": ${nested(CAPS.bodyDepth - 1)}}`;
    expect((await post('/v1/things/7', deep)).json()).toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  test('reject everything except strict JSON', async () => {
    const { post } = await serve();
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

  test('reject a body beyond the limit of the server or of the route', async () => {
    const { post } = await serve({ limits: { bodyBytes: 100 } });
    for (const url of ['/v1/things/7', '/v1/raw']) {
      const answer = await post(url, `"${'x'.repeat(200)}"`);
      expect(answer.statusCode).toBe(413);
      expect(answer.json()).toMatchObject({
        code: 'BODY_TOO_LARGE',
        detail: expect.stringMatching(/ (100|64) bytes/),
      });
    }
  });

  test("have status 503 and the error's text for a temporary fault", async () => {
    const { server } = await serve();
    const answer = await server.inject('/v1/fail/away');
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toBe('1');
    expect(answer.json()).toMatchObject({
      code: 'LEDGER_UNAVAILABLE',
      detail: 'the ledger is away',
      remedy: 'Try later.',
    });
  });

  test('have status 500 and only the code for a permanent fault', async () => {
    const { server, lines } = await serve();
    const answer = await server.inject('/v1/fail/broken');
    expect(answer.statusCode).toBe(500);
    expect(answer.json()).toMatchObject({ code: 'LEDGER_CORRUPT' });
    expect(answer.body).not.toContain('/var/lib');
    expect(lines.join()).toContain('/var/lib/x');
  });

  test('tell the caller nothing about an unknown error, but the log everything', async () => {
    const { server, lines } = await serve();
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

  test('pass on the refusal of a route unchanged', async () => {
    const { server } = await serve();
    const answer = await server.inject('/v1/fail/missing');
    expect(answer.json()).toMatchObject({ status: 404, code: 'ACTION_NOT_FOUND', remedy: 'Check the id.' });
  });

  test('answer a path that is not a URL, or that has a part that is too long', async () => {
    const { server } = await serve();
    expect((await server.inject('/v1/things/%zz')).json()).toMatchObject({
      status: 400,
      code: 'INVALID_URL',
    });
    const long = await server.inject(`/v1/fail/${'x'.repeat(APPROVAL_ID_UNITS + 1)}`);
    expect(long.json()).toMatchObject({ status: 414, code: 'INVALID_URL' });
  });
});
