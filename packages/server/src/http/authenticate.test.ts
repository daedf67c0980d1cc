import { MandateError } from '@mandate/runtime';
import { describe, expect, test } from 'vitest';
import { issueApiKey } from '../api-keys/api-key-record.ts';
import { type KeyStore, memoryKeyStore } from '../api-keys/key-store.ts';
import type { HttpLimits } from './http-limits.ts';
import { auditor, bearer, issue, json, publisher, serve } from './small-service.fixture.ts';

describe('credentials', () => {
  test('accept a key for routes of its scope, as bearer token or as x-api-key', async () => {
    const { server } = await serve();
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
  ])('reject %s as unauthenticated', async (_case, headers, detail) => {
    const { server, lines } = await serve();
    const answer = await server.inject({ url: '/v1/whoami', headers });
    expect(answer.statusCode).toBe(401);
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm="mandate"/);
    expect(answer.json()).toMatchObject({ code: 'UNAUTHENTICATED', detail: expect.stringContaining(detail) });
    expect(lines.filter((line) => line.includes('request refused'))).toHaveLength(1);
  });

  test('report an expired key to its owner, and do not admit it', async () => {
    const { key, record } = issueApiKey({
      ...{ tenant: 'acme', scopes: ['publish'], agents: ['*'], name: 'for a while' },
      lastsMs: 60_000,
    });
    let nowMs = Date.now();
    const { server } = await serve({ keys: memoryKeyStore([record], () => nowMs) });
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

  test('log a refusal with the public id of the key, but without its secret', async () => {
    const { server, lines } = await serve();
    const stranger = issue(['publish']);
    await server.inject({ url: '/v1/whoami', headers: bearer(stranger.key) });
    expect(lines.join()).toContain(stranger.record.id);
    expect(lines.join()).not.toContain(stranger.key.slice(20, 43));
  });

  test('reject a key without the scope, and name the scope', async () => {
    const { server, lines } = await serve();
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

  test('are refused for a route that declares no scope, for every caller', async () => {
    const { server } = await serve();
    expect((await server.inject('/v1/forgotten')).statusCode).toBe(401);
    const all = await server.inject({ url: '/v1/forgotten', headers: bearer(publisher.key) });
    expect(all.statusCode).toBe(403);
  });

  test('are not asked for on a public route', async () => {
    const { server } = await serve();
    expect((await server.inject('/v1/public')).json()).toEqual({ open: true });
  });

  test('open only public routes if there is no key store', async () => {
    const { server } = await serve({ keys: null });
    expect((await server.inject('/v1/public')).statusCode).toBe(200);
    expect((await server.inject({ url: '/v1/whoami', headers: bearer(publisher.key) })).statusCode).toBe(401);
  });

  test('admit no caller if the key store fails', async () => {
    const keys: KeyStore = {
      ...memoryKeyStore([]),
      find: () =>
        Promise.reject(new MandateError('KEY_FILE_EXPOSED', 'keys.json is open', { remedy: 'chmod' })),
    };
    const { server } = await serve({ keys });
    const answer = await server.inject({ url: '/v1/whoami', headers: bearer(publisher.key) });
    expect(answer.statusCode).toBe(500);
    expect(answer.json()).toMatchObject({ code: 'KEY_FILE_EXPOSED' });
    expect(answer.body).not.toContain('keys.json');
  });

  test('are rejected before the body is read', async () => {
    const { server } = await serve();
    const answer = await server.inject({
      method: 'POST',
      url: '/v1/raw',
      payload: 'x'.repeat(1_000),
      headers: json,
    });
    expect(answer.statusCode).toBe(401);
  });
});

describe('rate limits', () => {
  const limits: Partial<HttpLimits> = { requestsPerKeyPerSecond: 3, refusalsPerAddressPerMinute: 2 };

  test('tell a key with too many requests when to come back, and do not affect another key', async () => {
    const { server } = await serve({ limits });
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

  test('are reported in the answer to a refused POST', async () => {
    const { post } = await serve({ limits });
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => post('/v1/things/7', '{"amounts": []}')),
    );
    for (const { statusCode, headers } of answers)
      expect('ratelimit-limit' in headers).toBe(statusCode === 429);
    expect(answers.filter(({ statusCode }) => statusCode === 429).length).toBeGreaterThanOrEqual(2);
  });

  test('slow down an address with many failures, and do not affect a valid key from this address', async () => {
    const { server, lines } = await serve({ limits });
    const statuses = [];
    for (let i = 0; i < 4; i += 1) statuses.push((await server.inject('/v1/whoami')).statusCode);
    expect(statuses).toEqual([401, 401, 429, 429]);
    expect((await server.inject({ url: '/v1/whoami', headers: bearer(publisher.key) })).statusCode).toBe(200);
    expect(lines.filter((line) => line.includes('request refused'))).toHaveLength(2);
    const metrics = (await server.inject('/metrics')).body;
    expect(metrics).toContain('mandate_http_refusals_total{code="TOO_MANY_REQUESTS",service="test"} 2');
  });
});
