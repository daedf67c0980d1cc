/** The alerter on a real log, telling real receivers: what is delivered, what is not, and what survives it all. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bus, createSqliteBus } from '@mandate/bus';
import {
  createHttpServer,
  createMetrics,
  dataFolder,
  isMandateError,
  issueApiKey,
  manualClock,
  memoryKeyStore,
  serveHttp,
  silentLogger,
} from '@mandate/runtime';
import {
  type AlertsRecord,
  agentKey,
  type DecisionsRecord,
  readAlertsRecord,
  TOPICS,
} from '@mandate/schemas';
import { startService, temporaryFolder, waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { alertRoutes } from './alert-routes.ts';
import { type Alerter, type AlerterOptions, startAlerter } from './alerter.ts';
import { type Answers, type Receiver, startReceiver } from './receiver.fixture.ts';
import { loadAlerting } from './rules/alert-rules.ts';
import { decided, killed, sawBudget } from './rules/decided.fixture.ts';

/** Everything that would only be in the way. */
const QUIET = { firstUse: false, lag: false, blockRate: false };

async function openLog(): Promise<Bus> {
  const bus = await createSqliteBus({
    path: join(temporaryFolder(), 'log.sqlite'),
    log: silentLogger(),
    partitions: 2,
  });
  onTestFinished(() => bus.close());
  return bus;
}

type Told = { receiver: Receiver; name: string; [field: string]: unknown };

function rulesFor(told: readonly Told[], rules: object = QUIET) {
  const env = Object.fromEntries(told.map(({ receiver, name }) => [name.toUpperCase(), receiver.secret]));
  const webhooks = told.map(({ receiver, name, ...fields }) => ({
    name,
    url: receiver.url,
    tenant: '*',
    secrets: [{ env: name.toUpperCase() }],
    firstRetryMs: 10,
    longestRetryMs: 20,
    ...fields,
  }));
  return { env, text: JSON.stringify({ version: 1, rules, webhooks }) };
}

async function alerterOn(
  bus: Bus,
  told: readonly Told[],
  given: Partial<AlerterOptions> & { rulesOf?: object } = {},
) {
  const { rulesOf, ...options } = given;
  const { text, env } = rulesFor(told, rulesOf);
  const loaded = loadAlerting(text, env);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  const alerter = await startAlerter({
    bus,
    rules: { alerting: () => loaded.alerting, readiness: () => ({ name: 'alert rules', ok: true }) },
    log: silentLogger(),
    metrics: createMetrics({ service: 'test' }),
    sessionTimeoutMs: 1_000,
    lookEveryMs: 20,
    ...options,
  });
  onTestFinished(() => alerter.stop());
  return alerter;
}

async function publish(bus: Bus, records: readonly DecisionsRecord[]): Promise<void> {
  const keyOf = (record: DecisionsRecord) =>
    record.event === 'action.decided' ? agentKey(record.decision.tenant, record.decision.agentId) : 'acme';
  await bus.append(
    TOPICS.decisions,
    records.map((record) => ({ key: keyOf(record), value: JSON.stringify(record) })),
  );
}

const kill = (n: number) => killed(n, { scope: 'agent', tenant: 'acme', agentId: 'bot' });

async function alertsOn(bus: Bus): Promise<AlertsRecord[]> {
  const seen: AlertsRecord[] = [];
  const reader = await bus.read({
    topics: [TOPICS.alerts],
    from: 'earliest',
    onRecords: (records) => {
      for (const { value } of records) seen.push(readAlertsRecord(value));
    },
  });
  await reader.caughtUp;
  await reader.stop();
  return seen;
}

/** What became of the alerts at a webhook: `state attempts`, oldest first. */
function fate({ book }: Alerter, webhook: string): string[] {
  return [...book.newestFirst()].reverse().map(({ deliveries }) => {
    const delivery = deliveries.get(webhook);
    if (delivery === undefined || delivery.state === 'waiting') return String(delivery?.state);
    return `${delivery.state} ${delivery.attempts}`;
  });
}

async function settledFate(alerter: Alerter, webhook: string, count = 1): Promise<string[]> {
  return waitUntil(`the fate of ${count} alerts`, () => {
    const fates = fate(alerter, webhook);
    return fates.length >= count && !fates.includes('waiting') && fates;
  });
}

test('a kill is told, signed, once; and what happened before there were alerts is not', async () => {
  const bus = await openLog();
  const receiver = await startReceiver();
  await publish(bus, [kill(1)]);
  const alerter = await alerterOn(bus, [{ receiver, name: 'ops' }]);
  await publish(bus, [kill(2)]);
  expect(await settledFate(alerter, 'ops')).toEqual(['delivered 1']);
  expect(receiver.received).toMatchObject([
    {
      type: 'alert.raised',
      data: { rule: 'kill', tenant: 'acme', subject: 'kill-2', facts: { reason: 'it loops' } },
    },
  ]);
  expect(receiver.received[0]?.id).toBe(receiver.received[0]?.data.id);
  expect(receiver.forged).toEqual([]);
});

test.each<[string, Answers, object, string]>([
  [
    'fails twice is asked again, under the same id',
    (n) => ({ status: n < 3 ? 500 : 200 }),
    {},
    'delivered 3',
  ],
  ['fails for ever is given up', () => ({ status: 503 }), { attempts: 3 }, 'undelivered 3'],
  ['hangs is given up', () => 'hang', { attempts: 2, timeoutMs: 100 }, 'undelivered 2'],
  ['is gone is not asked again', () => ({ status: 410 }), { attempts: 5 }, 'undelivered 1'],
])('a receiver that %s', async (_name, answers, fields, came) => {
  const bus = await openLog();
  const receiver = await startReceiver(answers);
  const alerter = await alerterOn(bus, [{ receiver, name: 'ops', ...fields }]);
  await publish(bus, [kill(1)]);
  expect(await settledFate(alerter, 'ops')).toEqual([came]);
  expect(receiver.received).toHaveLength(Number(came.split(' ')[1]));
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
});

test('a receiver that asks for time gets it', async () => {
  const bus = await openLog();
  const receiver = await startReceiver((n) =>
    n === 1 ? { status: 429, headers: { 'retry-after': '1' } } : { status: 200 },
  );
  const alerter = await alerterOn(bus, [{ receiver, name: 'ops' }]);
  await publish(bus, [kill(1)]);
  expect(await settledFate(alerter, 'ops')).toEqual(['delivered 2']);
  const [first, second] = receiver.received.map(({ cameMs }) => cameMs);
  // Timers may be a millisecond early.
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(995);
});

test('a redirect is not followed', async () => {
  const bus = await openLog();
  const elsewhere = await startReceiver();
  const receiver = await startReceiver(() => ({ status: 307, headers: { location: elsewhere.url } }));
  const alerter = await alerterOn(bus, [{ receiver, name: 'ops', attempts: 1 }]);
  await publish(bus, [kill(1)]);
  expect(await settledFate(alerter, 'ops')).toEqual(['undelivered 1']);
  expect([...elsewhere.received, ...elsewhere.forged]).toEqual([]);
});

test('one that is dead holds up nobody else, and no more wait for it than may', async () => {
  const bus = await openLog();
  const [dead, alive] = [await startReceiver(() => 'hang'), await startReceiver()];
  const alerter = await alerterOn(
    bus,
    [
      { receiver: dead, name: 'dead' },
      { receiver: alive, name: 'alive' },
    ],
    { mostWaiting: 2 },
  );
  await publish(bus, [kill(1), kill(2)]);
  await settledFate(alerter, 'alive', 2);
  await publish(bus, [kill(3)]);
  expect(await settledFate(alerter, 'alive', 3)).toEqual(Array(3).fill('delivered 1'));
  await waitUntil('the third to be given up', () => fate(alerter, 'dead').includes('undelivered 0'));
  expect(fate(alerter, 'dead').sort()).toEqual(['undelivered 0', 'waiting', 'waiting']);
  const { book } = alerter;
  expect([...book.waiting()]).toHaveLength(2);
});

test('a kill is told before whatever else waits, however much that is', async () => {
  const bus = await openLog();
  const first = Promise.withResolvers<{ status: number }>();
  const receiver = await startReceiver((n) => (n === 1 ? first.promise : { status: 204 }));
  const alerter = await alerterOn(bus, [{ receiver, name: 'ops' }], { mostWaiting: 2 });
  const defer = { verdict: 'DEFER', code: 'APPROVAL_REQUIRED' } as const;
  await publish(bus, [decided(1, defer), decided(2, defer), decided(3, defer)]);
  await waitUntil('the third to be given up', () => fate(alerter, 'ops').includes('undelivered 0'));
  await publish(bus, [kill(4)]);
  await waitUntil('the kill to be known', () => fate(alerter, 'ops').length === 4);
  first.resolve({ status: 204 });
  await settledFate(alerter, 'ops', 4);
  expect(receiver.received.map(({ data }) => data.rule)).toEqual(['approval', 'kill', 'approval']);
});

test('what waits when an alerter ends is delivered by the next, and what was delivered is not', async () => {
  const bus = await openLog();
  const receiver = await startReceiver((n) => ({ status: n === 1 ? 200 : 500 }));
  const first = await alerterOn(bus, [{ receiver, name: 'ops' }]);
  await publish(bus, [kill(1), kill(2)]);
  await waitUntil(
    'one delivered, one refused',
    () => fate(first, 'ops').includes('delivered 1') && receiver.received.length > 1,
  );
  await first.stop();
  receiver.received.length = 0;
  receiver.answers = () => ({ status: 200 });
  const second = await alerterOn(bus, [{ receiver, name: 'ops' }]);
  await settledFate(second, 'ops', 2);
  expect(receiver.received).toHaveLength(1);
});

test('several at work raise each alert once, and deliver it', async () => {
  const bus = await openLog();
  const receiver = await startReceiver();
  const alerters = [
    await alerterOn(bus, [{ receiver, name: 'ops' }]),
    await alerterOn(bus, [{ receiver, name: 'ops' }]),
  ];
  const agents = Array.from({ length: 20 }, (_, n) =>
    decided(n + 1, { agentId: `bot-${n}`, checks: [sawBudget(8, 10)] }),
  );
  await publish(bus, agents);
  await Promise.all(alerters.map((alerter) => alerter.caughtUp()));
  for (const alerter of alerters) await settledFate(alerter, 'ops', 20);
  const raised = (await alertsOn(bus)).flatMap((record) =>
    record.event === 'alert.raised' && !record.alert.quiet ? [record.alert.id] : [],
  );
  expect([raised.length, new Set(raised).size]).toEqual([20, 20]);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(20);
});

test('an action that nobody answers for is told of again when it is overdue, and no more once it is answered', async () => {
  const bus = await openLog();
  const receiver = await startReceiver();
  const clock = manualClock(Date.now());
  const rulesOf = { ...QUIET, approval: { overdueMs: 60_000 } };
  const alerter = await alerterOn(bus, [{ receiver, name: 'ops' }], { clock, rulesOf });
  const decidedAt = new Date(clock()).toISOString();
  await publish(bus, [decided(1, { verdict: 'DEFER', code: 'APPROVAL_REQUIRED', decidedAt })]);
  await settledFate(alerter, 'ops');
  clock.advance(60_000);
  await settledFate(alerter, 'ops', 2);
  expect(receiver.received.map(({ data }) => data.rule)).toEqual(['approval', 'approval_overdue']);
  await publish(bus, [decided(2, { actionId: 'act-1', decidedAt })]);
  await waitUntil('both to be over', () => [...alerter.book.newestFirst()].length === 4);
  expect(receiver.received).toHaveLength(2);
});

test('while the log is away what was raised waits, and is raised when it is back', async () => {
  const bus = await openLog();
  const receiver = await startReceiver();
  let isAway = true;
  let tried = 0;
  const breaking: Bus = Object.assign(Object.create(bus), {
    append: async (topic: string, records: Parameters<Bus['append']>[1]) => {
      const isBegin = records.some(({ value }) => String(value).includes('alerts.begun'));
      if (isAway && topic === TOPICS.alerts && !isBegin) {
        tried += 1;
        await bus.append('bad name', records).catch((error: unknown) => {
          if (isMandateError(error)) throw Object.assign(error, { retryable: true });
        });
      }
      return bus.append(topic, records);
    },
  });
  const alerter = await alerterOn(breaking, [{ receiver, name: 'ops' }]);
  await publish(bus, [kill(1)]);
  await waitUntil('a second attempt', () => tried > 1);
  isAway = false;
  expect(await settledFate(alerter, 'ops')).toEqual(['delivered 1']);
});

test('what an alerter took in and did not deliver is delivered by the next, also where that had not read it yet', async () => {
  const bus = await openLog();
  const receiver = await startReceiver(() => 'hang');
  let lag = async (): Promise<readonly { lag: number }[]> => [];
  const watched: Bus = Object.assign(Object.create(bus), {
    consume: async (options: Parameters<Bus['consume']>[0]) => {
      const consumer = await bus.consume(options);
      lag = () => consumer.lag();
      return consumer;
    },
  });
  const first = await alerterOn(watched, [{ receiver, name: 'ops' }]);

  const hasRead = Promise.withResolvers<void>();
  const readsAgain = Promise.withResolvers<void>();
  const joins = Promise.withResolvers<void>();
  const assigned: string[] = [];
  const slow: Bus = Object.assign(Object.create(bus), {
    async read(options: Parameters<Bus['read']>[0]) {
      let isStarting = options.topics.includes(TOPICS.alerts);
      const reader = await bus.read({
        ...options,
        async onRecords(records) {
          if (!isStarting) await readsAgain.promise;
          await options.onRecords(records);
        },
      });
      await reader.caughtUp;
      isStarting = false;
      hasRead.resolve();
      return reader;
    },
    async consume(options: Parameters<Bus['consume']>[0]) {
      await joins.promise;
      return bus.consume({
        ...options,
        async onAssigned(places) {
          const assigning = options.onAssigned?.(places);
          assigned.push(...places.map(({ topic, partition }) => `${topic} ${partition}`));
          await assigning;
        },
      });
    },
  });
  const second = alerterOn(slow, [{ receiver, name: 'ops' }]);
  await hasRead.promise;
  await publish(bus, [kill(1)]);
  await waitUntil('it to be sent and passed', async () => {
    return receiver.received.length > 0 && (await lag()).every((place) => place.lag === 0);
  });
  receiver.answers = () => ({ status: 200 });
  await first.stop();
  joins.resolve();
  await waitUntil('the other to hold it', () => assigned.includes(`${TOPICS.alerts} 0`));
  readsAgain.resolve();
  await second;
  await waitUntil('it to come from the other', () => receiver.received.length > 1);
});

test('a name that the rule file gives to another tenant is told nothing of the one before', async () => {
  const bus = await openLog();
  const [before, after] = [await startReceiver(() => ({ status: 500 })), await startReceiver()];
  const fileOf = (receiver: Receiver, tenant: string) => {
    const { text, env } = rulesFor([{ receiver, name: 'ops', tenant, attempts: 100 }]);
    const loaded = loadAlerting(text, env);
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
    return loaded.alerting;
  };
  let alerting = fileOf(before, 'acme');
  const readiness = () => ({ name: 'alert rules', ok: true });
  const alerter = await alerterOn(bus, [], { rules: { alerting: () => alerting, readiness } });
  await publish(bus, [kill(1)]);
  await waitUntil('an attempt', () => before.received.length > 0);
  alerting = fileOf(after, 'other');
  expect((await settledFate(alerter, 'ops'))[0]).toMatch(/^undelivered/);
  expect([...after.received, ...after.forged]).toEqual([]);
});

test('a partition whose window could not be read at once is counted once, and whole', async () => {
  const bus = await openLog();
  const rulesOf = { ...QUIET, blockRate: { percent: 50, leastDecisions: 20, windowMs: 3_600_000 } };
  const blocked = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) =>
      decided(from + n, { verdict: 'BLOCK', code: 'UNKNOWN_TOOL', hard: true }),
    );
  const first = await alerterOn(bus, [], { rulesOf });
  await publish(bus, blocked(1, 15));
  await first.caughtUp();
  await first.stop();
  let failures = 0;
  const blinking: Bus = Object.assign(Object.create(bus), {
    async at(place: Parameters<Bus['at']>[0]) {
      if (failures++ === 0) {
        await bus.append('bad name', [{ key: null, value: '' }]).catch((error: unknown) => {
          if (isMandateError(error)) throw Object.assign(error, { retryable: true });
        });
      }
      return bus.at(place);
    },
  });
  const second = await alerterOn(blinking, [], { rulesOf });
  await publish(bus, blocked(16, 5));
  await second.caughtUp();
  expect(failures).toBeGreaterThan(1);
  const raised = (await alertsOn(bus)).flatMap((record) =>
    record.event === 'alert.raised' && record.alert.rule === 'block_rate'
      ? [record.alert.facts.decisions]
      : [],
  );
  expect(raised).toEqual([20]);
});

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
    // Its shape is what the test is about.
    // biome-ignore lint/suspicious/noExplicitAny: see above
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

test('killed in the middle, again and again: every alert arrives, always under its one id', async () => {
  const folder = dataFolder(temporaryFolder());
  const receiver = await startReceiver((n) => ({ status: n % 3 === 0 ? 500 : 200 }));
  const { text, env } = rulesFor([{ receiver, name: 'ops', attempts: 100 }], { ...QUIET, firstUse: true });
  writeFileSync(folder.alerts, text.replace('{"env":"OPS"}', `{"file":"${join(folder.path, 'secret')}"}`));
  writeFileSync(join(folder.path, 'secret'), env.OPS ?? '');
  const bus = await createSqliteBus({ path: folder.log, log: silentLogger() });
  onTestFinished(() => bus.close());
  const settings = { DATA_PATH: folder.path, SESSION_TIMEOUT_MS: '500' };

  const rounds = 2;
  const each = 40;
  let process = await startService('alerter', settings);
  for (let round = 0; round < rounds; round++) {
    const before = receiver.received.length;
    const records = Array.from({ length: each }, (_, n) =>
      decided(round * each + n, { tool: `tool-${round}-${n}` }),
    );
    await publish(bus, records);
    await waitUntil('some of them', () => receiver.received.length > before + 5);
    await process.kill('SIGKILL');
    process = await startService('alerter', settings);
  }
  const tools = () => new Set(receiver.received.map(({ data }) => String(data.facts.tool)));
  await waitUntil('all of them', () => tools().size === rounds * each);
  const ids = new Set(receiver.received.map(({ id, data }) => `${id} ${String(data.facts.tool)}`));
  expect(ids.size).toBe(rounds * each);
  expect(receiver.forged).toEqual([]);
  await waitUntil('what came of them on the log', async () => {
    const delivered = (await alertsOn(bus)).flatMap((one) =>
      one.event === 'alert.delivered' ? [one.delivery.alertId] : [],
    );
    return new Set(delivered).size === rounds * each;
  });
  expect(await process.kill('SIGTERM')).toBe(0);
});
