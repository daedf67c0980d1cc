/** Servers that a test starts and breaks, and the test's own connection to their log. */
import type { Bus } from '@mandate/bus';
import { createKafkaBus } from '@mandate/bus/kafka';
import { silentLogger } from '@mandate/runtime';
import { type KafkaOptions, startKafka } from '@mandate/testing';
import { onTestFinished } from 'vitest';
import { type Backends, replicationOn } from '../../e2e/distributed/support/server-plane.ts';

/** The longest wait, in ms, for an event that must happen, even on a busy machine. */
export const PATIENCE_MS = 120_000;

/**
 * The session timeout is short, so that the group soon removes a decider that was killed or paused. With an even
 * shorter timeout, a busy machine could lose a live decider.
 */
export const SHORT_SESSION = { SESSION_TIMEOUT_MS: '2000' };

/** Starts a Kafka and the ledger's server. Both end with the test, after all resources that were started later. */
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

/** Opens the test's own connection to the log, and creates the topics. */
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
