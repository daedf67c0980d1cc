/** Servers of a test's own to break, and the services on them, each in a process of its own. */
import { type Bus, createKafkaBus } from '@mandate/bus';
import { allHolds, reconcilePlane } from '@mandate/cli';
import { silentLogger } from '@mandate/runtime';
import { type KafkaOptions, startClickHouse, startKafka, startRedis, waitUntil } from '@mandate/testing';
import { expect, onTestFinished } from 'vitest';
import { type Api, type Backends, replicationOn, serverPlane } from '../e2e/distributed/server-plane.ts';
import { expectLaws } from './expect-laws.ts';
import type { FollowedLog } from './follow-log.ts';

/** A decider that is killed or stopped is given up as soon as a busy machine lets one tell. */
export const SHORT_SESSION = { SESSION_TIMEOUT_MS: '2000' };

const PATIENCE_MS = 120_000;

/** What is started ends when the test has ended, after everything that was started on it. */
export async function startBreakable<R extends AsyncDisposable>(
  startLedger: () => Promise<R>,
  options: KafkaOptions = {},
) {
  const [kafka, redis] = await Promise.all([
    endsWithTest(startKafka({ ...options, config: { 'group.min.session.timeout.ms': '500' } })),
    endsWithTest(startLedger()),
  ]);
  return { kafka, redis };
}

export async function endsWithTest<T extends AsyncDisposable>(starting: Promise<T>): Promise<T> {
  const server = await starting;
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

/** The test's own way to the log; it makes the topics. */
export async function openTestLog({ kafka }: Pick<Backends, 'kafka'>): Promise<Bus> {
  const bus = await createKafkaBus({
    brokers: kafka.brokers,
    clientId: 'fault-test',
    log: silentLogger(),
    createTopics: true,
    ...replicationOn(kafka),
  });
  onTestFinished(() => bus.close());
  return bus;
}

/** That every law holds of the key's tenant, to the micro-dollar, once deciders and recorder have caught up. */
export async function expectLawsHold(bus: Bus, gateway: Api, query: Api): Promise<void> {
  const api: Api = {
    ...gateway,
    get: (path, parameters) => (path.startsWith('/v1/audit') ? query : gateway).get(path, parameters),
  };
  const report = await waitUntil('every law to hold', async () => {
    const found = await reconcilePlane(bus, api);
    return allHolds(found) && found.requests.open === 0 && found;
  }).catch(() => reconcilePlane(bus, api));
  expectLaws(report);
  expect(report.counters).toBeGreaterThan(0);
}

/** A whole plane on Kafka, Redis and ClickHouse of a test's own, save for its deciders, with an operator of `default`. */
export async function startPlaneToBreak(mandates: string, options: KafkaOptions = {}) {
  const [breakable, clickhouse] = await Promise.all([
    startBreakable(() => startRedis({ appendonly: true }), options),
    endsWithTest(startClickHouse()),
  ]);
  const servers = { ...breakable, clickhouse };
  const plane = serverPlane(servers, mandates);
  const key = await plane.issueKey('default');
  const bus = await openTestLog(servers);
  const [gateway, query] = await Promise.all([
    plane.start('gateway'),
    plane.start('query'),
    plane.start('recorder'),
  ]);
  return {
    servers,
    plane,
    key,
    bus,
    api: plane.api(gateway.url, key),
    queryApi: plane.api(query.url, key),
    startDecider: (settings: Record<string, string> = {}, build?: string) =>
      plane.start('decider', { ...SHORT_SESSION, BATCH_RECORDS: '20', ...settings }, build),
  };
}

/** What must be true at the end of each: all that was asked is decided, no two say different things, and nothing got lost. */
export async function expectWhole(seen: FollowedLog, asked: number): Promise<void> {
  await waitUntil('a decision for every action', () => seen.decisions.size >= asked, PATIENCE_MS);
  await waitUntil('an end for every outcome', () => seen.settled.size === seen.outcomes(), PATIENCE_MS);
  await seen.caughtUp();
  expect(seen.decisions.size).toBe(asked);
  expect(seen.contradictions).toEqual([]);
  expect(seen.deadLetters()).toBe(0);
  expect(seen.lostOutcomes()).toEqual([]);
}
