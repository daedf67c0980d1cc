import { describe, expect, test } from 'vitest';
import { bearer, publisher, serve } from './small-service.fixture.ts';

describe('raw bodies of requests', () => {
  test('arrive byte for byte, not parsed or checked', async () => {
    const { post } = await serve();
    expect((await post('/v1/raw', '{"a":1,"a":2}')).json()).toEqual({ text: '{"a":1,"a":2}' });
    expect((await post('/v1/raw', '{"__proto__":')).json()).toEqual({ text: '{"__proto__":' });
  });

  test('are never empty or absent', async () => {
    const { server, post } = await serve();
    expect((await post('/v1/raw', '')).json()).toMatchObject({ code: 'INVALID_JSON' });
    const none = await server.inject({ method: 'POST', url: '/v1/raw', headers: bearer(publisher.key) });
    expect(none.json()).toMatchObject({ status: 400, code: 'INVALID_JSON' });
  });
});

describe('every answer', () => {
  test('has status 500 and leaves out the header if a header cannot be sent', async () => {
    const { server, lines } = await serve();
    const answer = await server.inject('/v1/header');
    expect([answer.statusCode, answer.headers['x-told']]).toEqual([500, undefined]);
    expect(answer.json()).toMatchObject({ code: 'INTERNAL_ERROR' });
    expect(lines.join()).toContain('ERR_INVALID_CHAR');
  });

  test('echoes a valid request id and replaces an invalid one', async () => {
    const { server } = await serve();
    const idFor = async (given: string) =>
      (await server.inject({ url: '/healthz', headers: { 'x-request-id': given } })).headers['x-request-id'];
    expect(await idFor('trace.7_x-1')).toBe('trace.7_x-1');
    for (const bad of ['', 'a b', 'x'.repeat(129), 'a\u00e9'])
      expect(await idFor(bad)).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('has the security headers, even if it is a refusal, and no CORS header', async () => {
    const { server } = await serve();
    for (const url of ['/healthz', '/v1/whoami', '/nowhere']) {
      const { headers } = await server.inject({ url, headers: { origin: 'https://evil.example' } });
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
      expect(headers).not.toHaveProperty('access-control-allow-origin');
    }
  });

  test("comes from a route that got the caller's traceparent, but only if it is well-formed", async () => {
    const { server } = await serve();
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
    const { server } = await serve();
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
