import {
  createHttpServer,
  createMetrics,
  issueApiKey,
  memoryKeyStore,
  serveHttp,
  silentLogger,
} from '@mandate/runtime';
import { waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { alertRoutes } from './alert-routes.ts';
import { alerterOn, fate, kill, openLog, publish, QUIET, settledFate } from './alerter.fixture.ts';
import { startReceiver } from './receiver.fixture.ts';
import { decided, killed } from './rules/decided.fixture.ts';

test('over HTTP: each tenant sees and sends again what is its own', async () => {
  const bus = await openLog();
  const receiver = await startReceiver(() => ({ status: 500 }));
  const fields = { attempts: 1, tenant: 'acme' };
  const alerter = await alerterOn(bus, [{ receiver, name: 'ops', ...fields }], {
    rulesOf: { ...QUIET, lag: { lateMs: 1_000 } },
  });
  const keyOf = (tenant: string, ...scopes: ('audit' | 'operate' | 'operate:all')[]) =>
    issueApiKey({ tenant, scopes, agents: ['*'], name: `of ${tenant}` });
  const keys = {
    auditor: keyOf('acme', 'audit'),
    operator: keyOf('acme', 'audit', 'operate'),
    other: keyOf('other', 'audit', 'operate'),
    all: keyOf('other', 'operate:all'),
  };
  const server = await createHttpServer({
    service: 'alerter',
    version: '1',
    log: silentLogger(),
    metrics: createMetrics({ service: 'test' }),
    keys: memoryKeyStore(Object.values(keys).map(({ record }) => record)),
    readiness: alerter.readiness,
  });
  await server.register(alertRoutes(alerter));
  const { url, stop } = await serveHttp(server, { host: '127.0.0.1', port: 0 });
  onTestFinished(stop);
  const call = async (who: keyof typeof keys, method: string, path: string, sent?: object) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${keys[who].key}`,
        ...(sent && { 'content-type': 'application/json' }),
      },
      ...(sent && { body: JSON.stringify(sent) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: its shape is what the test is about
    const body: any = await response.json();
    return { status: response.status, body };
  };
  const subjects = async (who: keyof typeof keys, query = ''): Promise<string[]> =>
    (await call(who, 'GET', `/v1/alerts${query}`)).body.alerts.map(
      ({ subject }: { subject: string }) => subject,
    );

  const late = decided(9, { decidedAt: '2027-01-01T00:00:00.000Z' });
  await publish(bus, [kill(1), kill(2), late]);
  await settledFate(alerter, 'ops', 2);
  const lag = await waitUntil('the lag', async () =>
    (await subjects('all')).find((one) => one.includes('decisions')),
  );
  expect(await subjects('auditor')).toEqual(['kill-2', 'kill-1']);
  expect(await subjects('other')).toEqual([]);
  expect((await subjects('all')).sort()).toEqual(['kill-1', 'kill-2', lag].sort());
  expect(await subjects('auditor', '?state=undelivered&rule=kill&limit=1')).toEqual(['kill-2']);
  const { next } = (await call('auditor', 'GET', '/v1/alerts?limit=1')).body;
  expect(await subjects('auditor', `?limit=1&cursor=${next}`)).toEqual(['kill-1']);

  const [first] = (await call('auditor', 'GET', '/v1/alerts')).body.alerts;
  expect(first.deliveries).toMatchObject([
    { webhook: 'ops', state: 'undelivered', attempts: 1, reason: 'it answered 500' },
  ]);
  expect(await call('auditor', 'POST', `/v1/alerts/${first.id}/replay`)).toMatchObject({ status: 403 });
  expect(await call('other', 'POST', `/v1/alerts/${first.id}/replay`)).toMatchObject({
    status: 404,
    body: { code: 'ALERT_NOT_FOUND' },
  });
  expect(await call('other', 'POST', '/v1/alerts/replay')).toMatchObject({
    status: 202,
    body: { replayed: 0 },
  });
  expect(await call('other', 'POST', '/v1/alerts/test')).toMatchObject({
    status: 409,
    body: { code: 'ALERT_WITHOUT_WEBHOOK' },
  });

  receiver.answers = () => ({ status: 200 });
  expect(await call('operator', 'POST', `/v1/alerts/${first.id}/replay`)).toMatchObject({
    status: 202,
    body: { webhooks: ['ops'] },
  });
  await waitUntil(
    'one of them',
    () => fate(alerter, 'ops').filter((one) => one === 'delivered 1').length === 1,
  );
  expect(await call('operator', 'POST', '/v1/alerts/replay')).toMatchObject({
    status: 202,
    body: { replayed: 1 },
  });
  await waitUntil(
    'the other',
    () => fate(alerter, 'ops').filter((one) => one === 'delivered 1').length === 2,
  );
  const drift = { driftMicros: 7, counters: 2, differences: 1, doubledActions: 0 };
  const reported = await call('operator', 'POST', '/v1/alerts/drift', drift);
  expect(reported).toMatchObject({ status: 202, body: { id: expect.stringMatching(/^alr_/) } });
  expect((await call('operator', 'POST', '/v1/alerts/drift', drift)).body).toEqual({ id: null });
  await waitUntil('the drift', () => receiver.received.some(({ id }) => id === reported.body.id));
  expect(await call('operator', 'POST', '/v1/alerts/test')).toMatchObject({
    status: 202,
    body: { webhooks: ['ops'] },
  });
  await waitUntil('the test', () => receiver.received.some(({ data }) => data.rule === 'test'));

  receiver.answers = () => ({ status: 500 });
  await publish(bus, [killed(3, { scope: 'all' })]);
  const told = async (who: keyof typeof keys) => (await call(who, 'GET', '/v1/alerts')).body.alerts[0];
  await waitUntil('the kill of everything', async () => {
    const { subject, deliveries } = await told('all');
    return subject === 'kill-3' && deliveries[0]?.state === 'undelivered';
  });
  expect(await told('auditor')).toMatchObject({ subject: 'kill-3', deliveries: [{ webhook: 'ops' }] });
  expect(await told('other')).toMatchObject({ subject: 'kill-3', deliveries: [] });
  expect(await subjects('other', '?state=undelivered')).toEqual([]);
});
