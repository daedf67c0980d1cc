import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { HttpProblem } from './http-problem.ts';
import { keyOf, testServer } from './http-server.fixture.ts';
import type { HttpRoutes } from './http-server-type.ts';

let spent = 1;
const routes: HttpRoutes = async (server) => {
  const config = { scope: 'audit' } as const;
  server.get('/v1/spend', { config }, () => ({ spent }));
  server.get('/v1/own', { config }, (_request, reply) => {
    reply.header('etag', '"the routes own"');
    return { spent };
  });
  server.get('/v1/stream', { config }, (_request, reply) =>
    reply.type('application/x-ndjson').send(Readable.from(['{"spent":1}\n'])),
  );
  server.get('/v1/missing', { config }, () => {
    throw new HttpProblem(404, 'NOT_FOUND', 'this path does not exist', { remedy: 'Look elsewhere.' });
  });
  server.post('/v1/spend', { config }, () => ({ spent }));
};

async function asking() {
  spent = 1;
  const server = await testServer(routes);
  return (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' | 'POST' = 'GET') =>
    server.inject({ method, url, headers: { ...keyOf('audit'), ...headers } });
}

test('sends an answer again only if the answer changed', async () => {
  const ask = await asking();
  const first = await ask('/v1/spend');
  const etag = String(first.headers.etag);
  expect(etag).toMatch(/^W\/"[\w-]{27}"$/);
  expect(first.headers['cache-control']).toBe('private, no-cache');

  const again = await ask('/v1/spend', { 'if-none-match': etag });
  expect([again.statusCode, again.body]).toEqual([304, '']);
  expect(again.headers).toMatchObject({
    etag,
    'cache-control': 'private, no-cache',
    vary: 'accept-encoding',
  });
  // On a 304, these headers would describe the answer that the client already has.
  expect(again.headers).not.toHaveProperty('content-length');
  expect(again.headers).not.toHaveProperty('content-type');

  spent = 2;
  const changed = await ask('/v1/spend', { 'if-none-match': etag });
  expect([changed.statusCode, changed.json()]).toEqual([200, { spent: 2 }]);
  expect(changed.headers.etag).not.toBe(etag);
});

test.each([
  ['one of a list', (etag: string) => `"other", ${etag}`, 304],
  ['the tag as a strong one, as caches make it', (etag: string) => etag.replace('W/', ''), 304],
  ['anything', () => '*', 304],
  ['another', () => 'W/"other"', 200],
  ['half a tag', (etag: string) => etag.slice(0, 10), 200],
])('compares the tag with if-none-match: %s', async (_what, given, status) => {
  const ask = await asking();
  const { etag } = (await ask('/v1/spend')).headers;
  expect((await ask('/v1/spend', { 'if-none-match': given(String(etag)) })).statusCode).toBe(status);
});

test('answers HEAD with the headers of GET', async () => {
  const ask = await asking();
  const { etag } = (await ask('/v1/spend')).headers;
  const head = await ask('/v1/spend', {}, 'HEAD');
  expect([head.statusCode, head.headers.etag, head.body]).toEqual([200, etag, '']);
  expect((await ask('/v1/spend', { 'if-none-match': String(etag) }, 'HEAD')).statusCode).toBe(304);
});

test('keeps a tag that the route itself set', async () => {
  const ask = await asking();
  expect((await ask('/v1/own')).headers.etag).toBe('"the routes own"');
  expect((await ask('/v1/own', { 'if-none-match': '"the routes own"' })).statusCode).toBe(304);
});

test.each([
  ['a stream', '/v1/stream', 'GET', 200],
  ['a problem', '/v1/missing', 'GET', 404],
  ['a POST', '/v1/spend', 'POST', 200],
  ['health', '/healthz', 'GET', 200],
  ['metrics', '/metrics', 'GET', 200],
] as const)(
  'answers %s in full, without a tag, and forbids caches to store it',
  async (_what, url, method, status) => {
    const ask = await asking();
    const answer = await ask(url, { 'if-none-match': '*' }, method);
    expect(answer.statusCode).toBe(status);
    expect(answer.headers).not.toHaveProperty('etag');
    expect(answer.headers['cache-control']).toBe('no-store');
  },
);
