/** Servers of a test's own to break, and the services on them, each in a process of its own. */
import { type Bus, createKafkaBus } from '@mandate/bus';
import { reconcilePlane } from '@mandate/cli';
import { silentLogger } from '@mandate/runtime';
import { startKafka, waitUntil } from '@mandate/testing';
import { expect, onTestFinished } from 'vitest';
import type { Api, Backends } from '../e2e/distributed/server-plane.ts';

/** A decider that is killed or stopped is given up as soon as a busy machine lets one tell. */
export const SHORT_SESSION = { SESSION_TIMEOUT_MS: '2000' };

/** What is started ends when the test has ended, after everything that was started on it. */
export async function startBreakable<R extends AsyncDisposable>(startLedger: () => Promise<R>) {
  const [kafka, redis] = await Promise.all([
    endsWithTest(startKafka({ config: { 'group.min.session.timeout.ms': '500' } })),
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
    replicationFactor: 1,
    minInSyncReplicas: 1,
  });
  onTestFinished(() => bus.close());
  return bus;
}

/** That log, ledger and audit of the key's tenant agree to the micro-dollar, once the recorder has caught up. */
export async function expectNoDrift(bus: Bus, gateway: Api, query: Api): Promise<void> {
  const api: Api = {
    ...gateway,
    get: (path, parameters) => (path.startsWith('/v1/audit') ? query : gateway).get(path, parameters),
  };
  const report = await waitUntil('log, ledger and audit to agree', async () => {
    const found = await reconcilePlane(bus, api);
    return found.driftMicros === 0 && found;
  }).catch(() => reconcilePlane(bus, api));
  expect(report).toMatchObject({ differences: [], driftMicros: 0, doubledActions: [] });
  expect(report.counters).toBeGreaterThan(0);
}
