/** Starts an alerter on a real log for a test, and shows the state of its alerts. */
import { join } from 'node:path';
import { type Batch, type Bus, createSqliteBus, type SqliteBusOptions, untilCommitted } from '@mandate/bus';
import { silentLogger } from '@mandate/runtime';
import {
  type AlertsRecord,
  agentKey,
  type DecisionsRecord,
  readAlertsRecord,
  TOPICS,
} from '@mandate/schemas';
import { createMetrics } from '@mandate/server';
import { temporaryFolder, waitUntil } from '@mandate/testing';
import { onTestFinished } from 'vitest';
import { type Alerter, type AlerterOptions, startAlerter } from './alerter.ts';
import type { Receiver } from './receiver.fixture.ts';
import { loadAlerting } from './rules/alert-rules.ts';
import { killed } from './rules/decided.fixture.ts';

/** Turns off the rules that could raise alerts that a test does not expect. */
export const QUIET = { firstUse: false, lag: false, blockRate: false };

export async function openLog(given: Partial<SqliteBusOptions> = {}): Promise<Bus> {
  const bus = await createSqliteBus({
    path: join(temporaryFolder(), 'log.sqlite'),
    log: silentLogger(),
    partitions: 2,
    ...given,
  });
  onTestFinished(() => bus.close());
  return bus;
}

type Told = { receiver: Pick<Receiver, 'url' | 'secret'>; name: string; [field: string]: unknown };

export function rulesFor(told: readonly Told[], rules: object = QUIET) {
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

export async function alerterOn(
  bus: Bus,
  told: readonly Told[],
  given: Partial<AlerterOptions> & { rulesOf?: object; consoleUrl?: string } = {},
) {
  const { rulesOf, consoleUrl = null, ...options } = given;
  const { text, env } = rulesFor(told, rulesOf);
  const loaded = loadAlerting(text, env);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  const alerter = await startAlerter({
    bus,
    rules: {
      alerting: () => ({ ...loaded.alerting, consoleUrl }),
      readiness: () => ({ name: 'alert rules', ok: true }),
    },
    log: silentLogger(),
    metrics: createMetrics({ service: 'test' }),
    sessionTimeoutMs: 1_000,
    lookEveryMs: 20,
    lookAtGroupsEveryMs: 20,
    ...options,
  });
  onTestFinished(() => alerter.stop());
  return alerter;
}

export async function publish(bus: Bus, records: readonly DecisionsRecord[]): Promise<void> {
  const keyOf = (record: DecisionsRecord) =>
    record.event === 'action.decided' ? agentKey(record.decision.tenant, record.decision.agentId) : 'acme';
  await bus.append(
    TOPICS.decisions,
    records.map((record) => ({ key: keyOf(record), value: JSON.stringify(record) })),
  );
}

/** Joins the group, commits all waiting records, and leaves the group. */
export async function takeAll(bus: Bus, group: string, topics: readonly string[]): Promise<void> {
  const onBatch = ({ records, commit }: Batch) => commit((records.at(-1)?.position.offset ?? 0) + 1);
  const consumer = await bus.consume({ group, topics, from: 'earliest', onBatch });
  await untilCommitted(bus, consumer, topics, AbortSignal.timeout(20_000));
  await consumer.stop();
}

export const kill = (n: number) => killed(n, { scope: 'agent', tenant: 'acme', agentId: 'bot' });

export async function alertsOn(bus: Bus): Promise<AlertsRecord[]> {
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

/** Returns the deliveries to a webhook as `state attempts`, oldest first. */
export function fate({ book }: Alerter, webhook: string): string[] {
  return [...book.newestFirst()].reverse().map(({ deliveries }) => {
    const delivery = deliveries.get(webhook);
    if (delivery === undefined || delivery.state === 'waiting') return String(delivery?.state);
    return `${delivery.state} ${delivery.attempts}`;
  });
}

export async function settledFate(alerter: Alerter, webhook: string, count = 1): Promise<string[]> {
  return waitUntil(`the fate of ${count} alerts`, () => {
    const fates = fate(alerter, webhook);
    return fates.length >= count && !fates.includes('waiting') && fates;
  });
}
