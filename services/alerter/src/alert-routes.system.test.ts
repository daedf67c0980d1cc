import { recordHttpReads } from '@mandate/access-log';
import type { Bus } from '@mandate/bus';
import { redactPieces } from '@mandate/privacy';
import { MandateError, silentLogger } from '@mandate/runtime';
import { quotasInForce, readAccessRecord, type TenantQuotas, TOPICS } from '@mandate/schemas';
import { createHttpServer, createMetrics, issueApiKey, memoryKeyStore, serveHttp } from '@mandate/server';
import { busWith, mustAnswerAsDescribed, waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { alertRoutes } from './alert-routes.ts';
import { alerterOn, fate, kill, openLog, publish, QUIET, settledFate } from './alerter.fixture.ts';
import type { Alerter } from './alerter.ts';
import { startReceiver } from './receiver.fixture.ts';
import { decided, killed } from './rules/decided.fixture.ts';

type Scope = 'audit' | 'operate' | 'operate:all' | 'publish';
const keyOf = (tenant: string, ...scopes: Scope[]) =>
  issueApiKey({ tenant, scopes, agents: ['*'], name: `of ${tenant}` });
const keys = {
  auditor: keyOf('acme', 'audit'),
  operator: keyOf('acme', 'audit', 'operate'),
  publisher: keyOf('acme', 'publish'),
  other: keyOf('other', 'audit', 'operate'),
  all: keyOf('other', 'operate:all'),
};

/** Serves the routes of an alerter. Reads are recorded on `bus`, or not at all if `bus` is null. */
async function serving(alerter: Alerter, bus: Bus | null, quotas: TenantQuotas = {}) {
  const server = await createHttpServer({
    service: 'alerter',
    version: '1',
    log: silentLogger(),
    metrics: createMetrics({ service: 'test' }),
    keys: memoryKeyStore(Object.values(keys).map(({ record }) => record)),
    readiness: alerter.readiness,
    quotas: () => quotasInForce(quotas),
  });
  await mustAnswerAsDescribed(server);
  const reads =
    bus &&
    recordHttpReads({
      bus,
      source: 'alerter',
      clock: Date.now,
      log: silentLogger(),
      redactText: redactPieces,
    });
  await server.register(alertRoutes(alerter, reads));
  const { url, stop } = await serveHttp(server, { host: '127.0.0.1', port: 0 });
  onTestFinished(stop);
  return async (who: keyof typeof keys, method: string, path: string, sent?: object) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${keys[who].key}`,
        ...(sent && { 'content-type': 'application/json' }),
      },
      ...(sent && { body: JSON.stringify(sent) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: the test checks its shape
    const body: any = await response.json();
    return { status: response.status, body };
  };
}

test('over HTTP, a tenant sees and replays only its own alerts', async () => {
  const bus = await openLog();
  const receiver = await startReceiver(() => ({ status: 500 }));
  const fields = { attempts: 1, tenant: 'acme' };
  const alerter = await alerterOn(bus, [{ receiver, name: 'ops', ...fields }], {
    rulesOf: { ...QUIET, lag: { lateMs: 1_000 } },
  });
  const call = await serving(alerter, bus);
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
    body: { replayed: 0, left: 0 },
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
    body: { replayed: 1, left: 0 },
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

test('lists the rules in force and webhooks by name: own ones and those of all tenants, and never a secret', async () => {
  const bus = await openLog();
  const receiver = await startReceiver();
  const url = `${receiver.url}/hooks/token-in-path?key=token-in-query`;
  const alerter = await alerterOn(
    bus,
    [
      { receiver, name: 'ops', url, tenant: 'acme', rules: ['kill', 'budget'] },
      { receiver, name: 'pager', url, events: ['permission_denied'] },
      { receiver, name: 'theirs', url, tenant: 'other' },
    ],
    { rulesOf: { budget: { percent: [50] }, excess: false, policyEvent: ['guardrail_triggered'] } },
  );
  const call = await serving(alerter, bus);
  const rules = async (who: keyof typeof keys) => {
    const { status, body } = await call(who, 'GET', '/v1/alerts/rules');
    expect(status).toBe(200);
    for (const secret of [receiver.secret, 'token-in', receiver.url]) {
      expect(JSON.stringify(body)).not.toContain(secret);
    }
    return (rule: string) => body.rules.find((shown: { rule: string }) => shown.rule === rule);
  };

  const own = await rules('auditor');
  const settings = { percent: [50], rearmPoints: 10 };
  expect(own('budget')).toEqual({ rule: 'budget', on: true, settings, webhooks: ['ops', 'pager'] });
  expect(own('excess')).toEqual({ rule: 'excess', on: false, settings: {}, webhooks: [] });
  expect(own('approval_overdue')).toMatchObject({ on: false });
  expect(own('drift')).toMatchObject({ on: true, webhooks: ['pager'] });
  expect(own('policy_event')).toMatchObject({ settings: { events: ['guardrail_triggered'] }, webhooks: [] });
  const others = await rules('other');
  expect(others('budget')).toMatchObject({ settings, webhooks: ['pager', 'theirs'] });
  // An alert about the whole plane goes only to webhooks of all tenants.
  expect(others('lag')).toMatchObject({ webhooks: ['pager'] });
  expect((await rules('all'))('budget')).toMatchObject({ webhooks: ['ops', 'pager', 'theirs'] });
  expect(await call('publisher', 'GET', '/v1/alerts/rules')).toMatchObject({ status: 403 });
  expect((await readsOn(bus)).map(({ route, refused }) => [route, refused])).toEqual([
    ['/v1/alerts/rules', false],
    ['/v1/alerts/rules', false],
    ['/v1/alerts/rules', false],
    ['/v1/alerts/rules', true],
  ]);
});

test('keeps the last result of a reconciler per tenant, with and without drift, also after a restart', async () => {
  const bus = await openLog();
  const alerter = await alerterOn(bus, [], { rulesOf: { ...QUIET, drift: false } });
  const call = await serving(alerter, bus);
  expect(await call('auditor', 'GET', '/v1/reconcile')).toEqual({ status: 200, body: { last: null } });
  const figures = { driftTokens: 0, driftToolCalls: 0, counters: 2, doubledActions: 0, brokenLaws: 0 };
  const amounts = { unit: 'micros', log: 9, kept: 9, ledger: 2, audit: 9 };
  const differing = [{ scope: 'agent', subject: 'bot', budget: 'total', ...amounts }];
  const drift = { ...figures, driftMicros: 7, differences: 1, differing };
  const none = { ...figures, driftMicros: 0, differences: 0, differing: [], decisions: 5, settlements: 4 };
  const report = (body: object) => call('operator', 'POST', '/v1/alerts/drift', body);
  const about = { tenant: 'acme', by: 'key:of acme', at: expect.any(String) };

  expect(await report(drift)).toEqual({ status: 202, body: { id: null } });
  expect(await call('auditor', 'GET', '/v1/reconcile')).toEqual({
    status: 200,
    body: { last: { ...drift, ...about } },
  });
  expect((await report(none)).status).toBe(202);
  expect((await call('operator', 'GET', '/v1/reconcile')).body).toEqual({ last: { ...none, ...about } });
  expect((await call('other', 'GET', '/v1/reconcile')).body).toEqual({ last: null });
  expect((await call('publisher', 'GET', '/v1/reconcile')).status).toBe(403);
  expect((await report({ ...drift, differing: Array(101).fill(differing[0]) })).status).toBe(400);

  await alerter.stop();
  const after = await serving(await alerterOn(bus, []), bus);
  expect((await after('auditor', 'GET', '/v1/reconcile')).body).toEqual({ last: { ...none, ...about } });
});

test('replays the oldest 100 alerts in one call, says how many are left, and counts each replay as a change', async () => {
  const bus = await openLog();
  const alert = (at: number) => ({
    ...{
      id: `alr_${at}`,
      rule: 'kill',
      tenant: 'acme',
      subject: `kill-${at}`,
      episode: 1,
      message: 'killed',
    },
    ...{ facts: {}, at: '2026-01-30T12:00:00.000Z', order: 0, record: null, webhooks: ['ops'], quiet: false },
  });
  const delivery = { webhook: 'ops', attempts: 1, reason: 'it answered 500', at: '2026-01-30T12:00:00.000Z' };
  await bus.append(
    TOPICS.alerts,
    Array.from({ length: 130 }, (_, at) => [
      { event: 'alert.raised', alert: alert(at) },
      { event: 'alert.undelivered', delivery: { ...delivery, alertId: `alr_${at}` } },
    ])
      .flat()
      .map((record) => ({ key: null, partition: 0, value: JSON.stringify(record) })),
  );
  const receiver = await startReceiver(() => ({ status: 500 }));
  const alerter = await alerterOn(bus, [
    { receiver, name: 'ops', tenant: 'acme', firstRetryMs: 60_000, longestRetryMs: 60_000 },
  ]);
  const call = await serving(alerter, null, { changes: { perSecond: 0, burst: 250 } });
  await settledFate(alerter, 'ops', 130);
  const replay = () => call('operator', 'POST', '/v1/alerts/replay');
  expect(await replay()).toMatchObject({ status: 202, body: { replayed: 100, left: 30 } });
  const oldest = Array.from({ length: 100 }, (_, at) => `alr_${at}`);
  await waitUntil('them to wait', () => [...alerter.book.waiting()].length >= 100);
  expect([...alerter.book.waiting()].map((entry) => entry.alert.id)).toEqual(oldest);
  // The key may make 125 changes, and the first call has used 100 of them.
  expect(await replay()).toMatchObject({ status: 429, body: { code: 'TOO_MANY_CHANGES' } });
});

async function readsOn(bus: Bus) {
  const [{ endOffset } = { endOffset: 0 }] = await bus.ranges(TOPICS.access);
  const records = await Promise.all(
    Array.from({ length: endOffset }, (_, offset) => bus.at({ topic: TOPICS.access, partition: 0, offset })),
  );
  return records.flatMap((record) => (record === null ? [] : [readAccessRecord(record.value).read]));
}

test('records reads of alerts before the answer, and records a replay only if it is refused', async () => {
  const bus = await openLog();
  const call = await serving(await alerterOn(bus, []), bus);
  for (const [who, method, path, status] of [
    ['auditor', 'GET', '/v1/alerts?rule=kill&limit=5', 200],
    ['auditor', 'GET', '/v1/alerts?rule=ann@example.com', 400],
    ['publisher', 'GET', '/v1/alerts?state=waiting', 403],
    ['operator', 'POST', '/v1/alerts/replay', 202],
    ['publisher', 'POST', '/v1/alerts/replay', 403],
  ] as const) {
    expect([path, (await call(who, method, path)).status]).toEqual([path, status]);
  }
  const by = (who: keyof typeof keys) => {
    const { tenant, id, name } = keys[who].record;
    return { tenant, key: { id, name }, method: 'GET', route: '/v1/alerts' };
  };
  expect(await readsOn(bus)).toMatchObject([
    { ...by('auditor'), parameters: { rule: 'kill', limit: '5' }, refused: false },
    { ...by('auditor'), parameters: { rule: '[redacted:email]' }, refused: false },
    { ...by('publisher'), parameters: { state: 'waiting' }, refused: true },
    { ...by('publisher'), method: 'POST', route: '/v1/alerts/replay', parameters: {}, refused: true },
  ]);
});

test('answers 503 if a read cannot be recorded, and 200 if the service records no reads', async () => {
  const bus = await openLog();
  const alerter = await alerterOn(bus, []);
  const append = () =>
    Promise.reject(new MandateError('BUS_UNAVAILABLE', 'away', { remedy: 'wait', retryable: true }));
  const call = await serving(alerter, busWith(bus, { append }));
  for (const who of ['auditor', 'publisher'] as const) {
    const { status, body } = await call(who, 'GET', '/v1/alerts');
    expect([who, status, body.code]).toEqual([who, 503, 'READ_NOT_RECORDED']);
  }
  const unrecorded = await serving(alerter, null);
  expect((await unrecorded('auditor', 'GET', '/v1/alerts')).status).toBe(200);
  expect(await readsOn(bus)).toEqual([]);
});
