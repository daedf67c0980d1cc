import { loadConfig } from '@mandate/runtime/settings';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { corsOrigins } from './cors.ts';
import { keyOf, testServer } from './http-server.fixture.ts';
import type { HttpRoutes } from './http-server-type.ts';

const CONSOLE = 'https://console.example.com';
const routes: HttpRoutes = async (server) => {
  server.get('/v1/things', { config: { scope: 'audit' } }, () => ({ things: [] }));
};
const serving = (origins: string[]) => testServer(routes, { corsOrigins: origins });
const preflight = (origin: string, url = '/v1/things') => ({
  method: 'OPTIONS' as const,
  url,
  headers: {
    origin,
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'authorization',
  },
});

describe('without allowed origins, as by default', () => {
  test('lets no page of another origin send a key or read an answer', async () => {
    const server = await serving([]);
    const asked = await server.inject(preflight(CONSOLE));
    expect(asked.statusCode).toBe(405);
    const answer = await server.inject({
      url: '/v1/things',
      headers: { ...keyOf('audit'), origin: CONSOLE },
    });
    for (const { headers } of [asked, answer])
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });
});

describe('with a list of allowed origins', () => {
  test('answers a preflight without a key, and names the allowed methods and headers', async () => {
    const server = await serving(['http://localhost:3000', CONSOLE]);
    const { statusCode, headers } = await server.inject(preflight(CONSOLE));
    expect(statusCode).toBe(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': CONSOLE,
      'access-control-allow-headers': expect.stringMatching(
        /authorization.*if-match.*if-none-match.*last-event-id/,
      ),
      'access-control-allow-methods': expect.stringContaining('GET'),
      'access-control-max-age': '600',
      vary: 'Origin',
    });
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });

  test('lets the page read the answer, even a refusal, and the headers that programs need', async () => {
    const server = await serving([CONSOLE]);
    const origin = { origin: CONSOLE };
    const answer = await server.inject({ url: '/v1/things', headers: { ...keyOf('audit'), ...origin } });
    const refused = await server.inject({ url: '/v1/things', headers: origin });
    expect([answer.statusCode, refused.statusCode]).toEqual([200, 401]);
    for (const { headers } of [answer, refused]) {
      expect(headers['access-control-allow-origin']).toBe(CONSOLE);
      expect(headers.vary).toMatch(/^Origin\b/);
      for (const name of ['x-request-id', 'etag', 'retry-after'])
        expect(headers['access-control-expose-headers']).toContain(name);
    }
    expect(answer.headers.vary).toBe('Origin, accept-encoding');
  });

  test.each(['https://evil.example', `${CONSOLE}.evil.example`, 'http://console.example.com', 'null'])(
    'does not allow another origin: %s',
    async (origin) => {
      const server = await serving([CONSOLE]);
      for (const request of [
        preflight(origin),
        { url: '/v1/things', headers: { ...keyOf('audit'), origin } },
      ])
        expect((await server.inject(request)).headers).not.toHaveProperty('access-control-allow-origin');
    },
  );

  test('still answers a wrong path and a wrong method differently', async () => {
    const server = await serving([CONSOLE]);
    expect((await server.inject({ method: 'DELETE', url: '/v1/things' })).statusCode).toBe(405);
    expect((await server.inject({ method: 'DELETE', url: '/v1/nowhere' })).statusCode).toBe(404);
  });
});

describe('the setting', () => {
  const read = (text: string) =>
    loadConfig(z.object({ QUERY_CORS_ORIGINS: corsOrigins }), { MANDATE_QUERY_CORS_ORIGINS: text });

  test('is a list of origins', () => {
    expect(read(`${CONSOLE}, http://localhost:3000`).QUERY_CORS_ORIGINS).toEqual([
      CONSOLE,
      'http://localhost:3000',
    ]);
    expect(read('').QUERY_CORS_ORIGINS).toEqual([]);
  });

  test.each([
    '*',
    'null',
    'console.example.com',
    `${CONSOLE}/`,
    `${CONSOLE}/path`,
    'https://*.example.com',
    `${CONSOLE}:443`,
  ])('rejects %s', (text) => expect(() => read(text)).toThrow('is not an origin'));
});
