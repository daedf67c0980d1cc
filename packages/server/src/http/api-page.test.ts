import { expect, test } from 'vitest';
import { testServer } from './http-server.fixture.ts';
import type { HttpRoutes } from './http-server-type.ts';

const routes: HttpRoutes = async (server) => {
  server.get('/v1/things', { config: { scope: 'audit' }, schema: { summary: 'All things' } }, () => []);
};

test('gives everyone access to the page and its files', async () => {
  const server = await testServer(routes);
  const page = await server.inject('/docs');
  expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  const loaded = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => String(url));
  expect(loaded.length).toBeGreaterThan(4);
  for (const url of loaded) {
    expect(url).toMatch(/^\/docs\/static\//);
    expect([url, (await server.inject(url)).statusCode]).toEqual([url, 200]);
  }
});

test('shows the document of this server, and asks no other server', async () => {
  const server = await testServer(routes);
  const document = (await server.inject('/docs/json')).json();
  expect(document).toEqual((await server.inject('/openapi.json')).json());
  expect(document.paths['/v1/things'].get.summary).toBe('All things');

  const { headers } = await server.inject('/docs');
  const policy = String(headers['content-security-policy']);
  expect(policy).toMatch(/^default-src 'none'; script-src 'self';/);
  expect(policy).toContain("connect-src 'self'");
  expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/);
  const set = (await server.inject('/docs/static/swagger-initializer.js')).body;
  expect(set).toContain('"layout":"BaseLayout"');
  expect(set).toContain('validatorUrl: null');
  expect(set).not.toContain('persistAuthorization');
});

test('sets this content security policy on the page only', async () => {
  const server = await testServer(routes);
  await server.inject('/docs');
  const { headers } = await server.inject('/openapi.json');
  expect(headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'");
});

test('costs one conditional request for each file at the second visit', async () => {
  const server = await testServer(routes);
  const url = '/docs/static/swagger-ui-bundle.js';
  const { headers } = await server.inject({ url, headers: { 'accept-encoding': 'gzip' } });
  expect(headers).toMatchObject({ 'content-encoding': 'gzip', 'cache-control': 'no-cache' });
  const again = await server.inject({ url, headers: { 'if-none-match': String(headers.etag) } });
  expect(again.statusCode).toBe(304);
});

test.each([
  '/docs/nothing',
  '/docs/static/nothing.js',
  '/docs/static/%2e%2e/package.json',
  '/docs/..%2fpackage.json',
])('answers %s with a problem', async (url) => {
  const server = await testServer(routes);
  const answer = await server.inject(url);
  expect([answer.statusCode, answer.json().code]).toEqual([404, 'NOT_FOUND']);
});

test('offers no requests to try if the service accepts no key', async () => {
  const server = await testServer(routes, { keys: null });
  expect((await server.inject('/docs')).statusCode).toBe(404);
});
