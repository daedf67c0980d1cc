import { expect, test, vi } from 'vitest';
import { testServer } from './http-server.fixture.ts';
import type { HttpRoutes, HttpServer } from './http-server-type.ts';

const noRoutes: HttpRoutes = async () => {};

test('reports that the process is alive', async () => {
  const server = await testServer(noRoutes, { readiness: async () => [{ name: 'bus', ok: true }] });
  expect((await server.inject('/healthz')).json()).toEqual({
    status: 'ok',
    service: 'test',
    version: '1.2.3',
  });
});

test('is ready if every check passes', async () => {
  const server = await testServer(noRoutes, { readiness: async () => [{ name: 'bus', ok: true }] });
  const answer = await server.inject('/readyz');
  expect(answer.json()).toEqual({ status: 'ready', checks: [{ name: 'bus', ok: true }] });
});

test('names the failed checks if the process is not ready', async () => {
  const checks = [
    { name: 'bus', ok: true },
    { name: 'ledger', ok: false, detail: 'rebuilding' },
  ];
  const server = await testServer(noRoutes, { readiness: async () => checks });
  const answer = await server.inject('/readyz');
  expect(answer.statusCode).toBe(503);
  expect(answer.json()).toMatchObject({ code: 'NOT_READY', detail: 'not ready: ledger', checks });
});

test('is not ready if checks do not answer in time', async () => {
  const server = await testServer(noRoutes, {
    readiness: () => new Promise(() => {}),
    limits: { readinessTimeoutMs: 10 },
  });
  expect((await server.inject('/readyz')).json()).toMatchObject({ status: 503, code: 'NOT_READY' });
});

const readyIn = async (server: HttpServer) => {
  const { payload } = await server.inject('/metrics');
  return payload.split('\n').filter((line) => line.startsWith('mandate_readiness_ok{'));
};

test('has metrics of the current checks only', async () => {
  let checks = [
    { name: 'bus', ok: true },
    { name: 'ledger', ok: false },
  ];
  const server = await testServer(noRoutes, { readiness: async () => checks });
  expect(await readyIn(server)).toEqual([
    'mandate_readiness_ok{check="bus",service="test"} 1',
    'mandate_readiness_ok{check="ledger",service="test"} 0',
  ]);
  checks = [{ name: 'ledger', ok: true }];
  expect(await readyIn(server)).toEqual(['mandate_readiness_ok{check="ledger",service="test"} 1']);
});

test('is ready after a bad edit of a file, and reports the edit in a separate field and metric', async () => {
  const checks = [
    { name: 'mandates', ok: true, stale: true, detail: 'the file is bad' },
    { name: 'bus', ok: true },
  ];
  const server = await testServer(noRoutes, { readiness: async () => checks });
  expect((await server.inject('/readyz')).json()).toEqual({ status: 'ready', checks });
  const { payload } = await server.inject('/metrics');
  expect(payload).toContain('mandate_readiness_ok{check="mandates",service="test"} 1\n');
  expect(payload).toContain('mandate_readiness_stale{check="mandates",service="test"} 1\n');
  expect(payload).toContain('mandate_readiness_stale{check="bus",service="test"} 0\n');
});

test.each([
  ['fail', () => Promise.reject(new Error('no'))],
  ['do not answer', () => new Promise<never>(() => {})],
])('has metrics even if the checks %s', async (_what, readiness) => {
  const server = await testServer(noRoutes, { readiness, limits: { readinessTimeoutMs: 10 } });
  expect(await readyIn(server)).toEqual(['mandate_readiness_ok{check="readiness",service="test"} 0']);
});

test('checks a dependency once for all callers that ask at the same time', async () => {
  const asked = Promise.withResolvers<{ name: string; ok: boolean }[]>();
  let times = 0;
  const readiness = () => {
    times += 1;
    return asked.promise;
  };
  const server = await testServer(noRoutes, { readiness });
  const answers = ['/readyz', '/metrics', '/readyz', '/metrics'].map((path) => server.inject(path));
  await vi.waitFor(() => expect(times).toBe(1));
  asked.resolve([{ name: 'bus', ok: true }]);
  expect((await Promise.all(answers)).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
  expect(times).toBe(1);
  await server.inject('/readyz');
  expect(times).toBe(2);
});
