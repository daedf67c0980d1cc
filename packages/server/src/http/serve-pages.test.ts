import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createMetrics } from '../metrics.ts';
import { createLogger } from '../pino-logger.ts';
import { createHttpServer } from './create-http-server.ts';
import { servePages } from './serve-pages.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

async function servedPages() {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-pages-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<title>Mandate</title>');
  const server = await createHttpServer({
    ...{ service: 'test', version: '1.2.3', keys: null, readiness: async () => [] },
    log: createLogger({ name: 'test', destination: { write: () => {} } }),
    metrics: createMetrics({ service: 'test' }),
  });
  onTestFinished(() => server.close());
  const pages = { folder, paths: ['/', '/agents'], policy: "default-src 'self'", policyOf: () => null };
  await server.register((own) => servePages(own, pages));
  return { server };
}

test('shows the page to a browser at an address without a route, with the status 404', async () => {
  const { server } = await servedPages();
  const known = await server.inject({ url: '/agents', headers: BROWSER });
  const answer = await server.inject({ url: '/agentz?x=1', headers: BROWSER });
  expect([known.statusCode, answer.statusCode]).toEqual([200, 404]);
  expect(answer.body).toBe(known.body);
  const { 'content-type': type, 'content-security-policy': policy } = answer.headers;
  expect([type, policy]).toEqual(['text/html; charset=utf-8', "default-src 'self'"]);
});

test.each([
  ['a program', 'GET', '/agentz', { accept: 'application/json' }],
  ['a browser that opens a route of the API', 'GET', '/v1/agentz', BROWSER],
  ['a form', 'POST', '/agentz', BROWSER],
] as const)('answers %s with a problem document', async (_who, method, url, headers) => {
  const { server } = await servedPages();
  const answer = await server.inject({ method, url, headers });
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([
    404,
    'application/problem+json; charset=utf-8',
  ]);
});
