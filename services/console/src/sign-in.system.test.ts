/** Signing in through an identity provider: who gets in, with which key, and which attacks fail. */
import { expect, test } from 'vitest';
import { ADDRESS, openScene, TestBrowser } from './sign-in.fixture.ts';

const MINUTE = 60_000;
const CALLBACK = '/v1/signin/oidc/callback';

const problemIn = ({ status, location }: { status: number; location: string | null }) => {
  expect(status).toBe(303);
  const { origin, pathname, searchParams } = new URL(location ?? '');
  expect(origin + pathname).toBe(`${ADDRESS}/sign-in`);
  return searchParams.get('problem');
};

test('signs a person in with the role of the first rule that matches, and shows the page that the person wanted', async () => {
  const { browser, provider, controlRecords } = await openScene();
  const one = browser();
  const answer = await one.signIn('ann', '?back=/decisions%3Ftool=pay');
  expect(answer).toMatchObject({ status: 303, rawLocation: '/decisions?tool=pay' });
  const person = `${provider.issuer} ann`;
  expect(await one.session()).toMatchObject({ tenant: 'default', role: 'operator', name: 'ann', person });
  const [granted, ...others] = await controlRecords();
  expect(others).toEqual([]);
  expect(granted).toMatchObject({
    event: 'role.granted',
    role: 'operator',
    change: { tenant: 'default', by: `oidc ${person}`, reason: 'signed in by OIDC' },
  });
  const [session, pending] = answer.cookies;
  expect(session).toMatch(
    /^__Host-mandate=[\w-]+; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=1800$/,
  );
  expect(pending).toMatch(/^__Host-mandate-sign-in=; .*Max-Age=0$/);
});

test('keeps the secrets of a sign-in in a cookie that lasts ten minutes and that no script can read', async () => {
  const { browser } = await openScene();
  const { cookies, location } = await browser().open('/v1/signin/oidc');
  expect(cookies).toEqual([
    expect.stringMatching(
      /^__Host-mandate-sign-in=[\w-]+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/,
    ),
  ]);
  const { searchParams } = new URL(location ?? '');
  expect(Object.fromEntries(searchParams)).toMatchObject({
    redirect_uri: `${ADDRESS}/v1/signin/oidc/callback`,
    response_type: 'code',
    scope: 'openid groups email',
    code_challenge_method: 'S256',
    state: expect.stringMatching(/^.{43}$/),
    nonce: expect.stringMatching(/^.{43}$/),
  });
});

test('names the ways to sign in, with the provider only if there is one', async () => {
  const { browser, openServer } = await openScene();
  const waysAt = async (one: TestBrowser) => JSON.parse((await one.open('/v1/signin')).text).ways;
  const key = { way: 'key', label: 'API key', href: null };
  const oidc = { way: 'oidc', label: 'Sign in with the test', href: '/v1/signin/oidc' };
  expect(await waysAt(browser())).toEqual([key, oidc]);
  const without = browser(await openServer({ hasFile: false }));
  expect(await waysAt(without)).toEqual([key]);
  expect(problemIn(await without.open('/v1/signin/oidc'))).toBe('OIDC_NOT_OFFERED');
});

test.each([
  ['bob', 'has no group of a rule'],
  ['eve', 'has a group that a rule refuses'],
])('refuses %s, who %s, and writes the refusal to the audit and the log', async (name) => {
  const { browser, controlRecords, accessRecords, lines, server } = await openScene();
  const one = browser();
  expect(problemIn(await one.signIn(name))).toBe('SIGN_IN_NOT_ALLOWED');
  expect(await one.session()).toBe(401);
  expect(await controlRecords()).toEqual([]);
  expect(lines.join('\n')).toContain(`"sub":"${name}"`);
  await server.stop();
  expect(await accessRecords()).toContainEqual({
    event: 'audit.read',
    read: expect.objectContaining({
      refused: true,
      code: 'SIGN_IN_NOT_ALLOWED',
      route: '/v1/signin/oidc/callback',
    }),
  });
});

test('shows only the code of a refusal by the provider, and no text of the provider', async () => {
  const { browser } = await openScene();
  const answer = await browser().signIn('nobody');
  expect(problemIn(answer)).toBe('SIGN_IN_DENIED');
  expect(answer.text + answer.rawLocation).not.toContain('script');
});

test.each(['', '?', '?state=', '?code=c&state=another', '?error=access_denied&state=another'])(
  'refuses a callback with the query "%s" in the browser of somebody else, and asks the provider nothing',
  async (query) => {
    const { browser, provider } = await openScene();
    const victim = browser();
    await victim.begin();
    const asked = provider.asked.length;
    expect(problemIn(await victim.open(`/v1/signin/oidc/callback${query}`))).toBe('SIGN_IN_MISMATCH');
    expect(provider.asked.length).toBe(asked);
  },
);

test('refuses the finished sign-in of an attacker in the browser of a victim, who can still sign in', async () => {
  const { browser } = await openScene();
  const [attacker, victim, other] = [browser(), browser(), browser()];
  const callback = await attacker.prove(await attacker.begin(), 'ann');
  expect(problemIn(await other.open(callback.href))).toBe('SIGN_IN_EXPIRED');
  const begun = await victim.begin();
  expect(problemIn(await victim.open(callback.href))).toBe('SIGN_IN_MISMATCH');
  expect(await victim.session()).toBe(401);
  expect((await victim.open((await victim.prove(begun, 'root')).href)).location).toBe(`${ADDRESS}/`);
});

test('refuses the same callback a second time, with and without its cookie', async () => {
  const { browser, server } = await openScene();
  const one = browser();
  const callback = await one.prove(await one.begin(), 'ann');
  const jars = new Map([...one.cookies].map(([host, jar]) => [host, new Map(jar)]));
  expect((await one.open(callback.href)).rawLocation).toBe('/');
  expect(problemIn(await one.open(callback.href))).toBe('SIGN_IN_EXPIRED');
  const thief = new TestBrowser(server.url);
  for (const [host, jar] of jars) thief.cookies.set(host, jar);
  expect(problemIn(await thief.open(callback.href))).toBe('SIGN_IN_INVALID');
  expect(await thief.session()).toBe(401);
});

test('refuses an ID token with another nonce', async () => {
  const { browser } = await openScene();
  const one = browser();
  const at = await one.begin();
  at.searchParams.set('nonce', 'another');
  expect(problemIn(await one.open((await one.prove(at, 'ann')).href))).toBe('SIGN_IN_INVALID');
  expect(await one.session()).toBe(401);
});

test('refuses a code that the provider issued for another client', async () => {
  const { browser, provider } = await openScene();
  const one = browser();
  const at = await one.begin();
  at.searchParams.set('client_id', provider.otherClient.id);
  expect(problemIn(await one.open((await one.prove(at, 'ann')).href))).toBe('SIGN_IN_INVALID');
});

test('refuses a code that belongs to another sign-in, by the PKCE verifier', async () => {
  const { browser } = await openScene();
  const [attacker, victim] = [browser(), browser()];
  const stolen = await victim.prove(await victim.begin(), 'root');
  const own = await attacker.prove(await attacker.begin(), 'ann');
  own.searchParams.set('code', stolen.searchParams.get('code') ?? '');
  expect(problemIn(await attacker.open(own.href))).toBe('SIGN_IN_INVALID');
});

test.each<[string, (token: string[]) => string[]]>([
  [
    'a signature of another key',
    ([head = '', body = '', signature = '']) => [head, body, `AAAA${signature.slice(4)}`],
  ],
  ['no signature', ([, body = '']) => [encoded({ alg: 'none' }), body, '']],
  [
    'claims that somebody changed',
    ([head = '', body = '', signature = '']) => [head, withGroups(body, ['owners']), signature],
  ],
])('refuses an ID token with %s', async (_, change) => {
  const { browser, provider } = await openScene();
  const one = browser();
  const callback = await one.prove(await one.begin(), 'ann');
  provider.fault = {
    at: '/token',
    replaces(body) {
      const answer = JSON.parse(body);
      return JSON.stringify({ ...answer, id_token: change(answer.id_token.split('.')).join('.') });
    },
  };
  expect(problemIn(await one.open(callback.href))).toBe('SIGN_IN_INVALID');
  expect(await one.session()).toBe(401);
});

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const withGroups = (body: string, groups: string[]) =>
  encoded({ ...JSON.parse(Buffer.from(body, 'base64url').toString()), groups });

test('refuses a sign-in that takes longer than ten minutes, although the browser still has its cookie', async () => {
  const { browser, server } = await openScene();
  const one = browser();
  const callback = await one.prove(await one.begin(), 'ann');
  server.passes(10 * MINUTE);
  expect(problemIn(await one.open(callback.href))).toBe('SIGN_IN_EXPIRED');
});

test('refuses a cookie that another server sealed', async () => {
  const { browser, openServer } = await openScene();
  const one = browser();
  const callback = await one.prove(await one.begin(), 'ann');
  const other = browser(await openServer({ secret: 'b'.repeat(64) }));
  other.cookies.set(new URL(other.url).host, one.cookies.get(new URL(one.url).host) ?? new Map());
  expect(problemIn(await other.open(callback.href))).toBe('SIGN_IN_EXPIRED');
});

test.each([
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example/',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  ' //evil.example',
  'javascript:alert(1)',
  'decisions',
  `/${'a'.repeat(900)}`,
])('goes to its own first page after a sign-in that wanted %j', async (back) => {
  const { browser } = await openScene();
  const answer = await browser().signIn('ann', `?${new URLSearchParams({ back })}`);
  expect(answer.rawLocation).toBe('/');
});

test('says that the provider is away, before the sign-in and after it, and works again once it is back', async () => {
  const { browser, provider, server } = await openScene();
  provider.fault = { at: '/.well-known', status: 503 };
  expect(problemIn(await browser().open('/v1/signin/oidc'))).toBe('PROVIDER_UNAVAILABLE');
  provider.fault = null;
  server.passes(3_000);
  const one = browser();
  const callback = await one.prove(await one.begin(), 'ann');
  await provider.stop();
  expect(problemIn(await one.open(callback.href))).toBe('PROVIDER_UNAVAILABLE');
  expect(await one.session()).toBe(401);
});

test.each([
  ['never answers', { hangs: true }],
  ['answers without an end', { bytes: 2_000_000 }],
  ['fails', { status: 500 }],
] as const)('refuses a sign-in while the token endpoint %s', async (_, fault) => {
  const { browser, provider } = await openScene();
  const one = browser();
  const callback = await one.prove(await one.begin(), 'ann');
  provider.fault = { at: '/token', ...fault };
  expect(problemIn(await one.open(callback.href))).toBe('PROVIDER_UNAVAILABLE');
});

test('uses the key of a person again, in another browser, after a restart and at another server of the plane', async () => {
  const { browser, openServer, controlRecords } = await openScene();
  const first = browser();
  await first.signIn('ann');
  const { keyId } = await first.session();
  const second = browser(await openServer());
  await second.signIn('ann');
  expect(await second.session()).toMatchObject({ keyId });
  expect(await first.session()).toMatchObject({ keyId });
  expect(await controlRecords()).toHaveLength(1);
});

test('issues one key to a person who signs in several times at once', async () => {
  const { browser, controlRecords } = await openScene();
  const browsers = [browser(), browser(), browser(), browser()];
  const callbacks = await Promise.all(browsers.map(async (one) => one.prove(await one.begin(), 'ann')));
  await Promise.all(browsers.map((one, at) => one.open(callbacks[at]?.href ?? '')));
  const sessions = await Promise.all(browsers.map((one) => one.session()));
  expect(new Set(sessions.map(({ keyId }) => keyId)).size).toBe(1);
  expect(await controlRecords()).toHaveLength(1);
});

test('issues another key when the claims give another role or tenant, and the old key ends with its sessions', async () => {
  const { browser, provider, controlRecords } = await openScene();
  const before = browser();
  await before.signIn('ann');
  provider.people.set('ann', { groups: ['globex'] });
  const after = browser();
  await after.signIn('ann');
  expect(await after.session()).toMatchObject({ tenant: 'globex', role: 'viewer' });
  expect(await before.session()).toBe(401);
  expect((await controlRecords()).map(({ event, change }) => [event, change.tenant])).toEqual([
    ['role.granted', 'default'],
    ['role.revoked', 'default'],
    ['role.granted', 'globex'],
  ]);
});

test('revokes the key of a person whom no rule allows any more', async () => {
  const { browser, provider } = await openScene();
  const before = browser();
  await before.signIn('ann');
  provider.people.set('ann', { groups: [] });
  expect(problemIn(await browser().signIn('ann'))).toBe('SIGN_IN_NOT_ALLOWED');
  expect(await before.session()).toBe(401);
});

test('ends the session when the key is revoked, and the next sign-in gets another key', async () => {
  const { browser, server } = await openScene();
  const one = browser();
  await one.signIn('ann');
  const { keyId, tenant } = await one.session();
  const change = { id: 'chg_1', tenant, by: 'root', reason: 'left', at: new Date().toISOString() };
  await server.followed.change({ event: 'role.revoked', keyId, change });
  expect(await one.session()).toBe(401);
  await one.signIn('ann');
  expect((await one.session()).keyId).not.toBe(keyId);
});

test('replaces keys that another secret of the data folder made', async () => {
  const { browser, openServer, controlRecords } = await openScene();
  const before = browser();
  await before.signIn('ann');
  const after = browser(await openServer({ secret: 'b'.repeat(64) }));
  await after.signIn('ann');
  expect(await after.session()).toMatchObject({ role: 'operator' });
  expect(await before.session()).toBe(401);
  expect((await controlRecords()).map(({ event }) => event)).toEqual([
    'role.granted',
    'role.revoked',
    'role.granted',
  ]);
});

test('replaces a key that could expire during a session', async () => {
  const { browser, openServer, controlRecords } = await openScene();
  await browser().signIn('ann');
  const later = await openServer();
  later.passes(90 * 24 * 60 * MINUTE - 7 * 60 * MINUTE);
  const one = browser(later);
  await one.signIn('ann');
  expect(await controlRecords()).toHaveLength(3);
});

const grave = (one: TestBrowser) =>
  one.open('/v1/grave', { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } });

test('demands a fresh sign-in before a grave action, and a sign-in without a password does not count', async () => {
  const { browser, server } = await openScene();
  const one = browser();
  await one.signIn('ann', '?again=true');
  expect((await grave(one)).status).toBe(200);
  server.passes(11 * MINUTE);
  expect(JSON.parse((await grave(one)).text)).toMatchObject({ code: 'SIGN_IN_AGAIN' });
  // The provider knows the browser, so it asks for nothing. Then the person has proved nothing.
  await one.signIn('ann');
  expect(JSON.parse((await grave(one)).text)).toMatchObject({ code: 'SIGN_IN_AGAIN' });
});

test('sends a person who must sign in again to the form of the provider', async () => {
  const { browser, provider } = await openScene();
  const one = browser();
  await one.signIn('ann');
  const at = await one.begin('?again=true');
  expect(Object.fromEntries(at.searchParams)).toMatchObject({ prompt: 'login', max_age: '0' });
  const asked = provider.asked.length;
  await one.open((await one.prove(at, 'ann')).href);
  expect(provider.asked.slice(asked).some((path) => path.startsWith('/interaction/'))).toBe(true);
  expect((await grave(one)).status).toBe(200);
});

test('refuses an old sign-in, even if the browser removed the demand for a new sign-in', async () => {
  const { browser, server } = await openScene();
  const one = browser();
  await one.signIn('ann', '?again=true');
  server.passes(2 * MINUTE);
  const at = await one.begin('?again=true');
  at.searchParams.delete('prompt');
  at.searchParams.set('max_age', '100000');
  const refused = await one.open((await one.prove(at, 'ann')).href);
  expect(problemIn(refused)).toBe('SIGN_IN_NOT_RECENT');
  expect(new URL(refused.location ?? '').searchParams.get('again')).toBe('true');
});

test('does not make a fresh session from an existing session', async () => {
  const { browser } = await openScene();
  const one = browser();
  await one.signIn('ann');
  const again = await one.open('/v1/session', {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  expect(again.status).toBe(401);
});

test('refuses a sign-in into a closed tenant', async () => {
  const { browser, provider, server } = await openScene();
  provider.people.set('ann', { groups: ['globex'] });
  const change = (id: string) => ({
    id,
    tenant: 'globex',
    by: 'root',
    reason: '',
    at: new Date().toISOString(),
  });
  const tenant = { version: 1 as const, id: 'globex' };
  await server.followed.change({ event: 'tenant.put', tenant, change: change('chg_1') });
  await server.followed.change({ event: 'tenant.closed', change: change('chg_2') });
  expect(problemIn(await browser().signIn('ann'))).toBe('TENANT_CLOSED');
});

test('refuses an address that sends too many requests, without asking the provider', async () => {
  const { browser, provider } = await openScene();
  await browser().begin();
  const asked = provider.asked.length;
  const problems: (string | null)[] = [];
  for (let at = 0; at < 300; at += 1) problems.push(problemIn(await browser().open(CALLBACK)));
  expect(problems.slice(0, 299).every((problem) => problem === 'SIGN_IN_EXPIRED')).toBe(true);
  expect(problems.at(-1)).toBe('TOO_MANY_REQUESTS');
  expect(provider.asked.length).toBe(asked);
});

test('waits for the provider in at most 64 sign-ins at a time', async () => {
  const { browser, provider } = await openScene();
  const browsers = Array.from({ length: 65 }, () => browser());
  const callbacks: string[] = [];
  for (const one of browsers) {
    const state = (await one.begin()).searchParams.get('state') ?? '';
    callbacks.push(`${CALLBACK}?${new URLSearchParams({ code: 'c', state, iss: provider.issuer })}`);
  }
  provider.fault = { at: '/token', hangs: true };
  const answers = await Promise.all(browsers.map((one, at) => one.open(callbacks[at] ?? '')));
  const problems = answers.map(problemIn).toSorted();
  expect(problems).toEqual([...Array.from({ length: 64 }, () => 'PROVIDER_UNAVAILABLE'), 'SIGN_IN_BUSY']);
});

test('follows an edit of the document', async () => {
  const { browser, write, server } = await openScene();
  write('\n  - claims: { email: ann@example.com }\n    role: viewer\n');
  // The file is read once two checks find it unchanged.
  server.oidcFile.look();
  server.oidcFile.look();
  const one = browser();
  await one.signIn('ann');
  expect(await one.session()).toMatchObject({ role: 'viewer' });
});

test('takes the name of a key from a claim, and claims from userinfo, if the document says so', async () => {
  const { browser, provider } = await openScene({ more: 'name: email\nuserinfo: true' });
  const one = browser();
  await one.signIn('ann');
  expect(await one.session()).toMatchObject({ name: 'ann@example.com' });
  expect(provider.asked).toContain('/me');
});

test('writes no code, token, secret or cookie into the log', async () => {
  const { browser, provider, lines } = await openScene();
  const one = browser();
  const callback = await one.prove(await one.begin(), 'ann');
  await one.open(callback.href);
  const code = callback.searchParams.get('code') ?? '';
  const thief = browser();
  const own = await thief.prove(await thief.begin(), 'eve');
  own.searchParams.set('code', code);
  await thief.open(own.href);
  expect(lines.length).toBeGreaterThan(0);
  const cookies = [...one.cookies.values(), ...thief.cookies.values()].flatMap((jar) => [...jar.values()]);
  for (const secret of [code, provider.client.secret, ...cookies])
    expect(lines.join('\n')).not.toContain(secret);
});
