import { manualClock } from '@mandate/runtime';
import { quotasInForce, type TenantQuotas } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { createMetrics } from '../metrics.ts';
import { keyOf, testServer } from './http-server.fixture.ts';
import type { HttpRoutes } from './http-server-type.ts';

const routes: HttpRoutes = async (server) => {
  server.post('/v1/changes', { config: { scope: 'operate', counted: 'changes' } }, () => ({}));
  server.post('/v1/kills', { config: { scope: 'operate', unlimited: true } }, () => ({}));
  server.post('/v1/records', { config: { scope: 'publish' } }, (request) => {
    request.mustHaveRoom('publish', { records: 1 });
    request.spend('publish', { records: 3, bytes: 10 });
    return {};
  });
};

async function serving(quotas: TenantQuotas) {
  const clock = manualClock(1_000_000);
  const metrics = createMetrics({ service: 'test' });
  const inForce = quotasInForce(quotas);
  const server = await testServer(routes, {
    ...{ metrics, clock, quotas: () => inForce, limits: { requestsPerKeyPerSecond: 20 } },
  });
  const post = (url: string, scope: 'operate' | 'publish', text?: string) =>
    server.inject({
      ...{ method: 'POST', url },
      headers: { ...keyOf(scope), ...(text !== undefined && { 'content-type': 'application/json' }) },
      ...(text !== undefined && { payload: text }),
    });
  return { clock, metrics, post };
}

test('refuses a change beyond the quota with the exact wait, and admits it after the wait', async () => {
  const { clock, metrics, post } = await serving({ changes: { perSecond: 1, burst: 4 } });
  const change = async () => (await post('/v1/changes', 'operate')).statusCode;
  expect([await change(), await change()]).toEqual([200, 200]);
  clock.advance(250);
  const refused = await post('/v1/changes', 'operate');
  expect(refused.statusCode).toBe(429);
  expect(refused.headers['retry-after']).toBe('1');
  expect(refused.json()).toMatchObject({
    ...{ code: 'TOO_MANY_CHANGES', quota: 'changes', of: 'key', retryAfterMs: 750 },
    detail: 'this API key has reached its quota of changes',
    remedy: 'Nothing was done. Wait 1 s, then send the request again.',
  });
  clock.advance(749);
  expect(await change()).toBe(429);
  clock.advance(1);
  expect(await change()).toBe(200);
  expect(await metrics.registry.metrics()).toContain(
    'mandate_http_limited_total{quota="changes",of="key",service="test"} 2',
  );
});

test('counts a large body as one change for each 16 KiB', async () => {
  const { clock, post } = await serving({ changes: { perSecond: 2, burst: 8 } });
  const change = async (bytes: number) => {
    const text = `{"text":"${'x'.repeat(bytes - 11)}"}`;
    return (await post('/v1/changes', 'operate', text)).statusCode;
  };
  expect([await change(16_384), await change(16_385)]).toEqual([200, 200]);
  expect(await change(16_385)).toBe(429);
  clock.advance(2_000);
  expect(await change(16_385)).toBe(200);
  clock.advance(4_000);
  expect([await change(3 * 16_384), await change(1_000)]).toEqual([200, 200]);
});

test('counts all records and bytes of a publishing request, or none of them if a limit refuses the request', async () => {
  const { clock, post } = await serving({ publishPerKey: { bytes: { perSecond: 10, burst: 25 } } });
  const publish = () => post('/v1/records', 'publish');
  expect([(await publish()).statusCode, (await publish()).statusCode]).toEqual([200, 200]);
  expect((await publish()).json()).toMatchObject({
    ...{ code: 'TOO_MANY_RECORDS', quota: 'publish.bytes', of: 'key', retryAfterMs: 500 },
  });
  clock.advance(500);
  expect((await publish()).statusCode).toBe(200);
});

test("shows the used share of a tenant's quota as a metric, from one half on", async () => {
  const { clock, metrics, post } = await serving({ changes: { perSecond: 1, burst: 8, perDay: 10 } });
  const told = async () => {
    const lines = (await metrics.registry.metrics()).split('\n');
    return lines.filter((line) => line.startsWith('mandate_http_quota_used_ratio{'));
  };
  for (let at = 0; at < 3; at += 1) await post('/v1/changes', 'operate');
  expect(await told()).toEqual([]);
  await post('/v1/changes', 'operate');
  const series = 'mandate_http_quota_used_ratio{tenant="acme",quota="changes",service="test"}';
  expect(await told()).toEqual([`${series} 0.5`]);
  clock.advance(10_000);
  expect(await told()).toEqual([]);
  await post('/v1/changes', 'operate');
  expect(await told()).toEqual([`${series} 0.5`]);
});

test('reports no wait if the quotas of a tenant are zero', async () => {
  const { post } = await serving({ publish: { records: { perSecond: 0 } } });
  const refused = await post('/v1/records', 'publish');
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, undefined]);
  expect(refused.json()).toMatchObject({ code: 'TOO_MANY_RECORDS', retryAfterMs: null });
});

test('applies no rate limit to a route that stops agents', async () => {
  const { post } = await serving({ changes: { perSecond: 0 } });
  const answers = await Promise.all(Array.from({ length: 50 }, () => post('/v1/kills', 'operate')));
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
});
