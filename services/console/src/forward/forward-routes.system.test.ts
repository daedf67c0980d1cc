/** The console in front of a server that stands for every service, and notes what it gets. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createSqliteBus } from '@mandate/bus';
import { silentLogger } from '@mandate/runtime';
import { API_SCOPES } from '@mandate/schemas';
import {
  BrowserSessions,
  createHttpServer,
  createMetrics,
  issueApiKey,
  memoryKeyStore,
  openUpstreams,
  serveHttp,
} from '@mandate/server';
import { temporaryFolder, waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { forwardRoutes } from './forward-routes.ts';

type Got = { method: string; url: string; headers: IncomingMessage['headers']; body: string };
type Answer = (request: IncomingMessage, answer: ServerResponse) => void;

const OWN = { 'sec-fetch-site': 'same-origin' };
const JSON_TYPE = { 'content-type': 'application/json' };

async function openScene(
  answerWith: Answer = (_, answer) => void answer.end('{}'),
  times = { connectMs: 500, firstByteMs: 500, idleMs: 500 },
) {
  const got: Got[] = [];
  const upstream = createServer(async (asked, answer) => {
    const { method = '', url = '', headers } = asked;
    got.push({ method, url, headers, body: (await buffer(asked)).toString() });
    answerWith(asked, answer);
  }).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const stopUpstream = () => {
    upstream.closeAllConnections();
    upstream.close();
  };
  onTestFinished(stopUpstream);
  const address = new URL(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}`);

  const log = silentLogger();
  const bus = await createSqliteBus({ path: join(temporaryFolder(), 'log.sqlite'), log });
  onTestFinished(() => bus.close());
  let skewMs = 0;
  const clock = () => Date.now() + skewMs;
  const { key, record } = issueApiKey({
    tenant: 'acme',
    scopes: [...API_SCOPES],
    agents: ['*'],
    name: 'ann',
  });
  const sessions = new BrowserSessions('a'.repeat(64));
  const upstreams = openUpstreams();
  onTestFinished(() => upstreams.close());
  const server = await createHttpServer({
    ...{ service: 'console', version: '1', log, metrics: createMetrics({ service: 'test' }), clock },
    ...{ keys: memoryKeyStore([record]), sessions, readiness: async () => [] },
  });
  const addresses = { gateway: address, query: address, alerter: address, control: address, runner: address };
  await server.register(forwardRoutes({ addresses, upstreams, bus, clock, log, times }));
  const { url, stop } = await serveHttp(server, { host: '127.0.0.1', port: 0 });
  onTestFinished(stop);
  const cookie = sessions.begin({ key, person: null, provenMs: clock() }, clock()).split(';')[0] ?? '';

  /** Sends a request as it is: `fetch` would change its path and some of its headers. */
  function begin(path: string, { method = 'GET', headers = {}, body = '' } = {}) {
    const length = body !== '' && { 'content-length': Buffer.byteLength(body) };
    const asked = request(new URL(url), { path, method, headers: { cookie, ...headers, ...length } });
    // A server that refuses a body closes the connection, also after its answer.
    asked.on('error', () => {});
    asked.end(body === '' ? undefined : body);
    return asked;
  }
  return {
    begin,
    got,
    key,
    cookie,
    stopUpstream,
    passes: (ms: number) => {
      skewMs += ms;
    },
    async ask(...asking: Parameters<typeof begin>) {
      const asked = begin(...asking);
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      const text = async () => (await buffer(answer)).toString();
      return { status: answer.statusCode, headers: answer.headers, text, leave: () => asked.destroy() };
    },
  };
}

async function codeOf(answer: { text(): Promise<string> }): Promise<string> {
  return JSON.parse(await answer.text()).code;
}

test('passes the key on as a bearer, and neither the cookie nor headers of the connection', async () => {
  const scene = await openScene((_, answer) => {
    answer.writeHead(201, {
      ...{ 'set-cookie': 'a=b', connection: 'keep-alive, x-own', 'x-own': '1', etag: 'W/"1"' },
      'retry-after': '3',
    });
    answer.end('{"done":true}');
  });
  const answer = await scene.ask('/v1/rules?reason=a%20b', {
    method: 'POST',
    headers: {
      ...{ ...OWN, ...JSON_TYPE, origin: 'http://127.0.0.1', referer: 'http://127.0.0.1/policies' },
      ...{ connection: 'keep-alive, x-hop', 'x-hop': '1', te: 'trailers', 'x-forwarded-for': '10.0.0.1' },
      ...{ 'if-match': '"7"', 'idempotency-key': 'once', 'x-request-id': 'mine' },
    },
    body: '{"id":"r"}',
  });
  expect([answer.status, await answer.text()]).toEqual([201, '{"done":true}']);
  expect(answer.headers).toMatchObject({ etag: 'W/"1"', 'retry-after': '3', 'x-request-id': 'mine' });
  expect(answer.headers).not.toHaveProperty('set-cookie');
  expect(answer.headers).not.toHaveProperty('x-own');
  expect(scene.got).toMatchObject([{ method: 'POST', url: '/v1/rules?reason=a%20b', body: '{"id":"r"}' }]);
  const { host: _, connection: __, ...headers } = scene.got[0]?.headers ?? {};
  expect(headers).toEqual({
    ...{ ...JSON_TYPE, 'if-match': '"7"', 'idempotency-key': 'once', 'x-request-id': 'mine' },
    ...{ authorization: `Bearer ${scene.key}`, 'content-length': '10' },
  });
});

test('passes only known routes on, and paths unchanged', async () => {
  const scene = await openScene();
  for (const path of ['/v1/nobody', '/metrics/../v1/kills', '//127.0.0.1/v1/kills', '/v1/kills/../keys'])
    expect((await scene.ask(path)).status).toBe(404);
  for (const path of ['http://127.0.0.1:1/v1/kills', 'http://127.0.0.1:1/v1/agents/bot'])
    expect((await scene.ask(path)).status).toBe(404);
  expect(scene.got).toEqual([]);
  const paths = [
    '/v1/agents/%2e%2e',
    '/v1/agents/a%2Fb/effective?x=%2e%2e',
    '/v1/agents/..',
    '/v1/kills?a=b//',
  ];
  for (const path of paths) expect((await scene.ask(path)).status).toBe(200);
  expect(scene.got.map(({ url }) => url)).toEqual(paths);
});

test('passes bodies up to a limit on, and changes without a body', async () => {
  const scene = await openScene();
  const change = (body: string) =>
    scene.ask('/v1/manifests', { method: 'POST', headers: { ...OWN, ...JSON_TYPE }, body });
  // One key of an operator may send 3.2 MiB at a time.
  expect((await change('{'.repeat(3 * 1024 * 1024))).status).toBe(200);
  expect(await codeOf(await change('{'.repeat(4 * 1024 * 1024 + 1)))).toBe('BODY_TOO_LARGE');
  expect((await scene.ask('/v1/alerts/alr_1/replay', { method: 'POST', headers: OWN })).status).toBe(200);
  expect(scene.got.map(({ body }) => body.length)).toEqual([3 * 1024 * 1024, 0]);
});

test('refuses, before anything is passed on, a change by another site, and a grave action more than ten minutes after the sign-in', async () => {
  const scene = await openScene();
  const grave = (headers: Record<string, string>) =>
    scene.ask('/v1/keys', { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: '{}' });
  expect(await codeOf(await grave({ 'sec-fetch-site': 'cross-site' }))).toBe('CROSS_SITE_REQUEST');
  expect((await grave(OWN)).status).toBe(200);
  scene.passes(11 * 60_000);
  expect(await codeOf(await grave(OWN))).toBe('SIGN_IN_AGAIN');
  const kill = await scene.ask('/v1/kill', { method: 'POST', headers: { ...OWN, ...JSON_TYPE }, body: '{}' });
  expect(kill.status).toBe(200);
  // The use of the session is noted, as in a plane.
  expect(kill.headers['set-cookie']?.[0]).toContain('__Host-mandate=');
  expect(await codeOf(await scene.ask('/v1/kills', { headers: { cookie: '' } }))).toBe('UNAUTHENTICATED');
  expect(scene.got.map(({ url }) => url)).toEqual(['/v1/keys', '/v1/kill']);
});

test('passes events on at once, and disconnects from a service when the browser disconnects, also before the answer', async () => {
  const patient = { connectMs: 500, firstByteMs: 60_000, idleMs: 60_000 };
  const left: string[] = [];
  const scene = await openScene((asked, answer) => {
    answer.once('close', () => left.push(asked.url ?? ''));
    if (asked.url === '/v1/kills') return;
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    answer.write('data: 1\n\n');
  }, patient);
  const stream = await scene.ask('/v1/audit/live', { headers: { 'accept-encoding': 'gzip, br' } });
  expect(stream.headers).toMatchObject({ 'content-type': 'text/event-stream', connection: 'close' });
  expect(left).toEqual([]);
  stream.leave();
  await waitUntil('the service to see that the browser left', () => left.includes('/v1/audit/live'));

  const waiting = scene.begin('/v1/kills');
  await waitUntil('the service to have the request', () => scene.got.length === 2);
  waiting.destroy();
  await waitUntil('the service to see that the browser left', () => left.includes('/v1/kills'));
});

test('answers 503 with a remedy if a service is silent, breaks off or is away, and sends no change twice', async () => {
  const scene = await openScene((asked, answer) => {
    if (asked.url === '/v1/kills') return;
    if (asked.url === '/v1/lint') answer.write('{');
    else asked.socket.destroy();
  });
  expect(await codeOf(await scene.ask('/v1/kills'))).toBe('SERVICE_UNAVAILABLE');
  const cut = await scene.ask('/v1/lint');
  const begunMs = performance.now();
  await expect(cut.text()).rejects.toThrow('aborted');
  expect(performance.now() - begunMs).toBeLessThan(30_000);
  const headers = { ...OWN, ...JSON_TYPE };
  const kill = async () => {
    const answer = await scene.ask('/v1/kill', { method: 'POST', headers, body: '{}' });
    return JSON.parse(await answer.text());
  };
  expect(await kill()).toMatchObject({
    ...{ status: 503, code: 'SERVICE_UNAVAILABLE', detail: 'the gateway gave no answer' },
    remedy: expect.stringContaining('may have been carried out'),
  });
  expect(scene.got.filter(({ url }) => url === '/v1/kill')).toHaveLength(1);
  scene.stopUpstream();
  expect((await kill()).remedy).not.toContain('may have been carried out');
});
