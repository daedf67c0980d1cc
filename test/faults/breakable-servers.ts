/** Servers of a test's own to break, and the test's way to their log. */
import { type Bus, createKafkaBus } from '@mandate/bus';
import { silentLogger } from '@mandate/runtime';
import { type KafkaOptions, startKafka } from '@mandate/testing';
import { onTestFinished } from 'vitest';
import { type Backends, replicationOn } from '../e2e/distributed/server-plane.ts';

/** How long is waited for what must come, however busy the machine is. */
export const PATIENCE_MS = 120_000;

/** A decider that is killed or stopped is given up as soon as a busy machine lets one tell. */
export const SHORT_SESSION = { SESSION_TIMEOUT_MS: '2000' };

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
