/**
 * The console in its own process, in front of a gateway, a query service and a control service in their own processes. No
 * alerter runs.
 */
import { chromiumOptions, describeWithOwnServers, waitUntil } from '@mandate/testing';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { signIn as signInBrowser } from '../console/console-scene.ts';
import { readEventStream } from '../support/read-event-stream.ts';
import { type Servers, serverPlane, startServers } from './support/server-plane.ts';

const MANDATES = `version: 1
id: all
agents: ["*"]
toolPolicies: { look: { cost: 0.01 } }
`;

type Answer = { status: number; headers: Headers; body: Record<string, unknown> };

describeWithOwnServers(['kafka', 'redis', 'clickhouse'], 'a console that runs alone', () => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers();
  });
  afterAll(() => servers?.[Symbol.asyncDispose]());

  test('signs in, reads, kills and follows the stream through one address; a revoked key ends session and stream', async () => {
    const plane = serverPlane(servers, MANDATES);
    const admin = await plane.issueKey('default', ['admin', 'publish', 'audit', 'operate', 'author']);
    const gateway = await plane.start('gateway');
    const [query, control] = await Promise.all([
      plane.start('query'),
      plane.start('control'),
      plane.start('decider'),
      plane.start('recorder'),
    ]);
    const pages = await plane.start('console', {
      GATEWAY_URL: gateway.url,
      QUERY_URL: query.url,
      CONTROL_URL: control.url,
      ALERTER_URL: 'http://127.0.0.1:1',
      RUNNER_URL: 'http://127.0.0.1:1',
    });

    /** Sends a request of a page of the console, or of another site. */
    async function ask(
      path: string,
      init: RequestInit & { site?: string; cookie?: string } = {},
    ): Promise<Answer> {
      const { site = 'same-origin', cookie = '', ...rest } = init;
      const { status, headers, body } = await open(path, {
        ...rest,
        headers: { 'sec-fetch-site': site, cookie, ...rest.headers },
      });
      return { status, headers, body: (await new Response(body).json()) as Answer['body'] };
    }
    const open = (path: string, init?: RequestInit) => fetch(`${pages.url}${path}`, init);
    const json = (method: string, body: object) => ({
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    async function signIn(key: string): Promise<string> {
      const signed = await ask('/v1/session', {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
      });
      expect(signed.status).toBe(201);
      return signed.headers.get('set-cookie')?.split(';')[0] ?? '';
    }

    const page = await open('/agents');
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<script');

    // A key in a header passes too, with a body and a wait.
    const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' };
    const action = (id: string) => ({
      ...{ method: 'POST', headers },
      body: JSON.stringify({ id, agentId: 'bot', type: 'tool_call', tool: 'look' }),
    });
    const published = await ask('/v1/actions?waitMs=20000', action('act-1'));
    expect(published).toMatchObject({ status: 200, body: { decision: { verdict: 'ALLOW' } } });

    // A fresh sign-in may issue keys.
    const own = await signIn(admin);
    const made = await ask('/v1/keys', { ...json('POST', { name: 'ann', role: 'operator' }), cookie: own });
    expect(made.status).toBe(201);
    const { id, key } = made.body as { id: string; key: string };
    await waitUntil('every service knows the key', async () => {
      const authorization = `Bearer ${key}`;
      const paths = ['/v1/session', '/v1/agents', '/v1/audit/decisions', '/v1/kills'];
      const answers = await Promise.all(paths.map((path) => ask(path, { headers: { authorization } })));
      return answers.every(({ status }) => status === 200);
    });
    const cookie = await signIn(key);
    expect(await ask('/v1/session', { cookie })).toMatchObject({ status: 200, body: { name: 'ann' } });

    const found = await waitUntil('the decision is in the audit', async () => {
      const read = await ask('/v1/audit/decisions?agent=bot', {
        cookie,
        headers: { 'x-request-id': 'of-the-page' },
      });
      return (read.body as { decisions: unknown[] }).decisions.length > 0 && read;
    });
    expect(found.headers.get('x-request-id')).toBe('of-the-page');
    expect(found.headers.get('set-cookie')).toBeNull();
    const etag = found.headers.get('etag') ?? '';
    expect(etag).not.toBe('');
    const again = await open('/v1/audit/decisions?agent=bot', { headers: { cookie, 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);

    const stream = await open('/v1/audit/live', { headers: { cookie } });
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    const events = readEventStream(stream);
    const next = async (name: string) => {
      for (;;) {
        const { value, done } = await events.next();
        if (done) throw new Error('the stream has ended');
        if (value.get('event') === name) return JSON.parse(value.get('data') ?? '');
      }
    };
    const browser = await chromium.launch(await chromiumOptions());
    onTestFinished(() => browser.close());
    const tab = await browser.newPage({ baseURL: pages.url });
    await signInBrowser(tab, key);
    await tab.getByText('● live').waitFor();
    await tab.getByRole('region', { name: 'Newest decisions' }).getByText('bot').first().waitFor();

    const refused = await ask('/v1/agents/bot/kill', { ...json('POST', {}), cookie, site: 'cross-site' });
    expect(refused).toMatchObject({ status: 403, body: { code: 'CROSS_SITE_REQUEST' } });
    const killed = await ask('/v1/agents/bot/kill', { ...json('POST', { reason: 'test' }), cookie });
    expect(killed.status).toBe(200);
    expect(await next('control')).toMatchObject({ event: 'agent.killed', agentId: 'bot' });
    expect(await ask('/v1/actions?waitMs=20000', action('act-2'))).toMatchObject({
      body: { decision: { code: 'AGENT_KILLED' } },
    });

    expect(await ask('/v1/alerts', { cookie })).toMatchObject({
      status: 503,
      body: { code: 'SERVICE_UNAVAILABLE', detail: 'the alerter gave no answer', remedy: expect.any(String) },
    });
    expect(await ask('/v1/unknown', { cookie })).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(await ask('/v1/kills', { ...json('PUT', {}), cookie })).toMatchObject({ status: 405 });
    // The control service decides what the key may do.
    expect(await ask('/v1/keys', { cookie })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });

    expect((await ask(`/v1/keys/${id}`, { method: 'DELETE', cookie: own })).status).toBe(200);
    await expect(next('nothing')).rejects.toThrow('the stream has ended');
    await tab.getByLabel('API key').waitFor();
    await waitUntil('the session ends', async () => (await ask('/v1/session', { cookie })).status === 401);
    expect((await ask('/v1/audit/decisions', { cookie })).status).toBe(401);

    // The service ends while a page follows its stream.
    const cut = await open('/v1/audit/live', { headers: { cookie: own } });
    await query.kill('SIGKILL');
    await expect(cut.text()).rejects.toThrow('terminated');
    expect(await ask('/v1/audit/decisions', { cookie: own })).toMatchObject({
      status: 503,
      body: { code: 'SERVICE_UNAVAILABLE', detail: 'the query service gave no answer' },
    });
    expect((await fetch(`${pages.url}/readyz`)).status).toBe(200);

    // When the console stops, it ends its streams at once.
    const kills = await open('/v1/kills/stream', { headers: { cookie: own } });
    expect(await pages.kill('SIGTERM')).toBe(0);
    expect(await kills.text()).toContain('event: flags');
    expect(pages.errors()).not.toContain(key);
  });
});
