import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryKeyStore } from '../api-keys/key-store.ts';
import { BrowserSessions, isOfOwnPage } from './browser-session.ts';
import { auditor, bearer, publisher, serve } from './small-service.fixture.ts';

const SECRET = 'a'.repeat(64);
const HOUR = 3_600_000;
const began = { key: 'sk-mdt_1', person: null, provenMs: 0 };

function cookieOf(header: string): string {
  return header.split(';')[0] ?? '';
}

describe('a session', () => {
  const sessions = new BrowserSessions(SECRET);

  test('is in a cookie that browsers send only to this server, over TLS, and that no script can read', () => {
    const header = sessions.begin(began, 0);
    expect(header).toMatch(
      /^__Host-mandate=[\w-]+; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=1800$/,
    );
    expect(header).not.toContain('sk-mdt');
    expect(sessions.read(cookieOf(header), 0)).toEqual({ ...began, beganMs: 0, usedMs: 0 });
  });

  test('ends half an hour after its last use, and eight hours after the sign-in', () => {
    const cookie = cookieOf(sessions.begin(began, 0));
    expect(sessions.read(cookie, HOUR / 2 - 1)).not.toBeNull();
    expect(sessions.read(cookie, HOUR / 2)).toBeNull();
    let used = cookie;
    for (let atMs = 0; atMs < 8 * HOUR; atMs += HOUR / 4) {
      const session = sessions.read(used, atMs);
      expect(session).not.toBeNull();
      used = cookieOf((session && sessions.renewed(session, atMs)) ?? used);
    }
    expect(sessions.read(used, 8 * HOUR)).toBeNull();
  });

  test('is written again at most once a minute', () => {
    const session = { ...began, beganMs: 0, usedMs: 0 };
    expect(sessions.renewed(session, 59_999)).toBeNull();
    expect(sessions.renewed(session, 60_000)).toContain('__Host-mandate=');
  });

  test('is refused after any change of the cookie, with another secret, and if there are two', () => {
    const cookie = cookieOf(sessions.begin(began, 0));
    expect(new BrowserSessions('b'.repeat(64)).read(cookie, 0)).toBeNull();
    expect(sessions.read(`${cookie}; ${cookie}`, 0)).toBeNull();
    fc.assert(
      fc.property(fc.nat(), fc.nat({ max: 63 }), (at, by) => {
        const index = 15 + (at % (cookie.length - 16));
        const other = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.charAt(by);
        fc.pre(cookie.charAt(index) !== other);
        const changed = cookie.slice(0, index) + other + cookie.slice(index + 1);
        expect(sessions.read(changed, 0)).toBeNull();
      }),
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(sessions.read(`__Host-mandate=${text}`, 0)).toBeNull();
      }),
    );
  });
});

test.each([
  [{ 'sec-fetch-site': 'same-origin' }, true],
  [{ 'sec-fetch-site': 'same-site', origin: 'https://a.example', host: 'a.example' }, false],
  [{ 'sec-fetch-site': 'none' }, false],
  [{ origin: 'http://a.example:7420', host: 'a.example:7420' }, true],
  [{ origin: 'http://b.example', host: 'a.example' }, false],
  [{ origin: 'null', host: 'a.example' }, false],
  [{ host: 'a.example' }, false],
])('a request with %j comes from a page of this server: %j', (headers, isOwn) => {
  expect(isOfOwnPage({ headers })).toBe(isOwn);
});

describe('a server with sessions', () => {
  const sessions = new BrowserSessions(SECRET);
  const cookie = (key: string, nowMs = Date.now(), facts: { provenMs?: number | null } = {}) => ({
    cookie: cookieOf(sessions.begin({ key, person: null, provenMs: nowMs, ...facts }, nowMs)),
  });
  const own = { 'sec-fetch-site': 'same-origin' };

  test('accepts the key of a session, looks it up each time, and prefers a key in a header', async () => {
    const store = memoryKeyStore([publisher.record, auditor.record]);
    let isRevoked = false;
    const keys = {
      ...store,
      find: async (key: string) => (isRevoked && key === publisher.key ? null : store.find(key)),
    };
    const { server } = await serve({ sessions, keys });
    const ask = (headers: object) => server.inject({ url: '/v1/whoami', headers: { ...headers } });
    expect((await ask(cookie(publisher.key))).statusCode).toBe(200);
    expect((await ask({ ...cookie(publisher.key), ...bearer(auditor.key) })).statusCode).toBe(403);
    isRevoked = true;
    expect((await ask(cookie(publisher.key))).statusCode).toBe(401);
  });

  test('accepts a change with a session only from its own page', async () => {
    const { server } = await serve({ sessions });
    const post = (headers: object) =>
      server.inject({ method: 'POST', url: '/v1/open', payload: {}, headers: { ...headers } });
    expect((await post({ ...cookie(publisher.key), ...own })).statusCode).toBe(200);
    const foreign = await post({ ...cookie(publisher.key), 'sec-fetch-site': 'cross-site' });
    expect(foreign.statusCode).toBe(403);
    expect(foreign.json()).toMatchObject({ code: 'CROSS_SITE_REQUEST' });
    expect((await post({ ...bearer(publisher.key), 'sec-fetch-site': 'cross-site' })).statusCode).toBe(200);
  });

  test('notes the use of a session in a new cookie', async () => {
    const { server } = await serve({ sessions });
    const headers = cookie(publisher.key, Date.now() - 120_000);
    const answer = await server.inject({ url: '/v1/whoami', headers });
    const session = sessions.read(cookieOf(String(answer.headers['set-cookie'])), Date.now());
    expect(Date.now() - (session?.usedMs ?? 0)).toBeLessThan(60_000);
    expect(Date.now() - (session?.beganMs ?? 0)).toBeGreaterThanOrEqual(120_000);
  });

  test('demands a new sign-in before grave actions', async () => {
    const { server } = await serve({ sessions });
    const post = (headers: object) =>
      server.inject({ method: 'POST', url: '/v1/grave', headers: { ...own, ...headers } });
    expect((await post(cookie(publisher.key))).statusCode).toBe(200);
    expect((await post(bearer(publisher.key))).statusCode).toBe(200);
    const old = await post(cookie(publisher.key, Date.now() - 11 * 60_000));
    expect(old.statusCode).toBe(403);
    expect(old.json()).toMatchObject({ code: 'SIGN_IN_AGAIN' });
    for (const provenMs of [null, Date.now() - 11 * 60_000]) {
      const answer = await post(cookie(publisher.key, Date.now(), { provenMs }));
      expect(answer.json()).toMatchObject({ code: 'SIGN_IN_AGAIN' });
    }
  });

  test('reads no cookie if it has no sessions', async () => {
    const { server } = await serve();
    expect((await server.inject({ url: '/v1/whoami', headers: cookie(publisher.key) })).statusCode).toBe(401);
  });
});
