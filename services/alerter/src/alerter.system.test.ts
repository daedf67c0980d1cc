/** The alerter on a real log: several alerters run at once, are stopped or killed, or lose the log. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bus, createSqliteBus } from '@mandate/bus';
import { dataFolder, isMandateError, manualClock, silentLogger } from '@mandate/runtime';
import { GROUPS, TOPICS } from '@mandate/schemas';
import { startService, temporaryFolder, waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import {
  alerterOn,
  alertsOn,
  fate,
  kill,
  openLog,
  publish,
  QUIET,
  rulesFor,
  settledFate,
  takeAll,
} from './alerter.fixture.ts';
import { type Receiver, startReceiver } from './receiver.fixture.ts';
import { loadAlerting } from './rules/alert-rules.ts';
import { decided, sawBudget } from './rules/decided.fixture.ts';

test('an alerter delivers the waiting alerts of its predecessor, and no alert that was delivered before', async () => {
  const bus = await openLog();
  const receiver = await startReceiver((n) => ({ status: n === 1 ? 200 : 500 }));
  const first = await alerterOn(bus, [{ receiver, name: 'ops' }]);
  await publish(bus, [kill(1), kill(2)]);
  await waitUntil(
    'one delivered, one refused',
    () => fate(first, 'ops').includes('delivered 1') && receiver.received.length > 1,
  );
  await first.stop();
  const [delivered, refused] = receiver.received.splice(0).map(({ id }) => id);
  receiver.answers = () => ({ status: 200 });
  const second = await alerterOn(bus, [{ receiver, name: 'ops' }]);
  await settledFate(second, 'ops', 2);
  // A request of the first alerter may reach the receiver late, so only the set of ids is compared.
  expect(new Set(receiver.received.map(({ id }) => id))).toEqual(new Set([refused]));
  expect(refused).not.toBe(delivered);
});

test('several alerters raise each alert once, and deliver it', async () => {
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

test('alerts again when an approval is overdue, and stops once a person has answered', async () => {
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
  expect(receiver.received.at(-1)?.data.message).toBe(
    'The question about act-1 of bot has had no answer for 1 min.',
  );
  await publish(bus, [decided(2, { actionId: 'act-1', decidedAt })]);
  await waitUntil('both to be over', () => [...alerter.book.newestFirst()].length === 4);
  expect(receiver.received).toHaveLength(2);
});

test('alerts once about absent deciders, whichever alerter looks, and clears the alert when a decider catches up', async () => {
  const bus = await openLog();
  const receiver = await startReceiver();
  const clock = manualClock(Date.now());
  const given = { clock, rulesOf: { ...QUIET, lag: { lateMs: 30_000 } } };
  const told = [{ receiver, name: 'ops', cleared: true }];
  const alerters = [await alerterOn(bus, told, given), await alerterOn(bus, told, given)];
  const untilLate = async (records: number) => {
    const requests = Array(records).fill({ key: 'acme/bot', value: '{}' });
    const [first] = await bus.append(TOPICS.actions, requests);
    clock.set((first?.appendedAtMs ?? 0) + 30_001);
  };
  await untilLate(2);
  for (const alerter of alerters) await settledFate(alerter, 'ops');
  await alerters[0]?.stop();
  const next = await alerterOn(bus, told, given);
  await takeAll(bus, GROUPS.decider, [TOPICS.actions]);
  clock.advance(1);
  await settledFate(next, 'ops', 2);
  await untilLate(1);
  await settledFate(next, 'ops', 3);

  const raised = (await alertsOn(bus)).flatMap((record) =>
    record.event === 'alert.raised' || record.event === 'alert.cleared' ? [record] : [],
  );
  const ids = new Map(raised.map((record) => [record.alert.id, record]));
  expect([...ids.values()].map(({ event, alert }) => `${event} ${alert.subject} ${alert.episode}`)).toEqual([
    'alert.raised mandate.decider 1',
    'alert.cleared mandate.decider 1',
    'alert.raised mandate.decider 2',
  ]);
  expect(raised[0]?.alert).toMatchObject({
    rule: 'lag',
    tenant: null,
    message:
      'For 30 s and longer 2 records of mandate.actions.v1 are not decided: is a decider there, and do Redis and the log answer?',
    facts: { group: 'mandate.decider', records: 2, topics: [TOPICS.actions], lateMs: 30_000 },
  });
});

test('an alert that cannot be appended waits until the log is back', async () => {
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

test('an alert that an alerter read and did not deliver is delivered by the next alerter, even if that has not read it yet', async () => {
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

test("gives up the alert if the rule file gives the webhook's name to another tenant", async () => {
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

test('after a failed read of the block-rate window, reads the window again and counts each record once', async () => {
  const bus = await openLog();
  const rulesOf = { ...QUIET, blockRate: { percent: 50, leastDecisions: 20, windowMs: 3_600_000 } };
  const blocked = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) =>
      decided(from + n, { verdict: 'BLOCK', code: 'UNKNOWN_TOOL', final: true }),
    );
  const first = await alerterOn(bus, [], { rulesOf });
  await publish(bus, blocked(1, 15));
  await first.caughtUp();
  await first.stop();
  let failures = 0;
  const blinking: Bus = Object.assign(Object.create(bus), {
    async ranges(topic: string, beforeMs?: number) {
      if (beforeMs !== undefined && failures++ === 0) {
        await bus.append('bad name', [{ key: null, value: '' }]).catch((error: unknown) => {
          if (isMandateError(error)) throw Object.assign(error, { retryable: true });
        });
      }
      return bus.ranges(topic, beforeMs);
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

test('after repeated SIGKILL every alert arrives, always with the same id', async () => {
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
    // The records are ten seconds apart, because more alerts of one agent within a minute would count as a flood.
    const records = Array.from({ length: each }, (_, n) => {
      const decidedAt = new Date(Date.UTC(2026, 0, 5) + (round * each + n) * 10_000).toISOString();
      return decided(round * each + n, { tool: `tool-${round}-${n}`, decidedAt });
    });
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
