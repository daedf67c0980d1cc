import type { Logger } from '@mandate/runtime';
import { closed } from '../errors.ts';
import { InFlight } from '../in-flight.ts';
import type { Bus } from '../port.ts';
import { Appender } from './append.ts';
import { Connection, withBusErrors } from './connection.ts';
import type { TopicPartition } from './coordinator.ts';
import { GroupMember } from './group-member.ts';
import { groupPositions } from './group-positions.ts';
import { DEFAULT_METADATA_AGE_MS, DEFAULT_REQUEST_TIMEOUT_MS, type KafkaConfig } from './kafka-config.ts';
import { LogReader } from './log-reader.ts';
import type { TopicPartitionRange } from './positions.ts';
import { rangesOf } from './ranges.ts';
import { recordAt } from './record-at.ts';
import { Topics } from './topics.ts';

export type KafkaBusOptions = KafkaConfig & {
  log: Logger;
  /** Milliseconds that a call retries before it fails with BUS_UNAVAILABLE. Default 15,000. */
  patienceMs?: number;
  /**
   * True to create a missing topic at its first use. Default false: an operator with the permission creates topics.
   */
  createTopics?: boolean;
  /** The number of partitions of new topics. Replaces the number in schemas/src/topics.ts. */
  partitions?: number;
  /**
   * The number of replicas of new topics. Default 3. With 3, two replicas must store a record before it is
   * acknowledged.
   */
  replicationFactor?: number;
  minInSyncReplicas?: number;
  /** The maximum number of records that are appended and not yet acknowledged. Default 100,000 records, 64 MiB. */
  maxInFlightRecords?: number;
  maxInFlightBytes?: number;
  /**
   * Milliseconds that an append waits when `maxInFlightRecords` is reached, before it fails with BUS_OVERLOADED.
   * Default 5,000.
   */
  overloadWaitMs?: number;
};

/**
 * Opens the log on Kafka. Connects at the first call that needs a connection. Checks each topic before its first use.
 */
export async function createKafkaBus(options: KafkaBusOptions): Promise<Bus> {
  const { log, patienceMs: withinMs = 15_000 } = options;
  const connect = () => new Connection(options, log);
  const connection = connect();
  const provisioning = {
    replicationFactor: options.replicationFactor ?? 3,
    minInSyncReplicas: options.minInSyncReplicas ?? 2,
    partitions: options.partitions ?? null,
  };
  const freshMs = options.metadataAgeMs ?? DEFAULT_METADATA_AGE_MS;
  const topics = new Topics(
    { connection, withinMs, freshMs, log },
    provisioning,
    options.createTopics ?? false,
  );
  const inFlight = new InFlight({
    records: options.maxInFlightRecords ?? 100_000,
    bytes: options.maxInFlightBytes ?? 64 * 1024 * 1024,
    waitMs: options.overloadWaitMs ?? 5_000,
  });
  const requestTimeoutMs = options.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS;
  const appender = new Appender({ topics, inFlight }, { connection, withinMs, requestTimeoutMs });

  const partitionsOf = async (names: readonly string[]): Promise<TopicPartition[]> => {
    const wanted = [...new Set(names)];
    const partitions = await Promise.all(wanted.map((topic) => topics.partitionsOf(topic)));
    return wanted.flatMap((topic, i) => (partitions[i] ?? []).map((partition) => ({ topic, partition })));
  };
  const rangesIn = async (topic: string, beforeMs?: number): Promise<TopicPartitionRange[]> => {
    const partitions = await topics.partitionsNow(topic);
    const ranges = await withBusErrors(
      connection,
      (cluster) => rangesOf(cluster, topic, partitions, beforeMs),
      withinMs,
    );
    return ranges.map((range) => ({ topic, ...range }));
  };
  const rangesInAll = async (names: readonly string[]) =>
    (await Promise.all([...new Set(names)].map((name) => rangesIn(name)))).flat();

  const running = new Set<{ stop(): Promise<void> }>();
  let closing: Promise<void> | undefined;
  let isClosed = false;
  const mustBeOpen = () => {
    if (closing !== undefined) throw closed();
  };

  return {
    system: 'kafka',
    async append(topic, records, options) {
      mustBeOpen();
      return appender.append(topic, records, options);
    },
    async consume(wanted) {
      mustBeOpen();
      await partitionsOf(wanted.topics);
      mustBeOpen();
      const member = new GroupMember(
        {
          connection: connect(),
          shared: connection,
          withinMs,
          freshMs,
          log: { present: (names) => topics.present(names), partitionsOf, rangesOf: rangesInAll },
          isClosed: () => isClosed,
        },
        log,
        wanted,
      );
      // The member is added before it joins, so that a close during the join also ends its membership.
      running.add(member);
      const stop = (drainMs?: number) => member.stop(drainMs).finally(() => running.delete(member));
      await member.join().catch(async (error) => {
        await stop();
        throw error;
      });
      return {
        finished: member.finished,
        async lag() {
          mustBeOpen();
          return member.lag();
        },
        async follow(topics) {
          mustBeOpen();
          await member.follow(topics);
        },
        stop,
      };
    },
    async read(wanted) {
      mustBeOpen();
      const ranges = await rangesInAll(wanted.topics);
      mustBeOpen();
      const look = { rangesNow: () => rangesInAll(wanted.topics), everyMs: freshMs };
      const reader = new LogReader(connect(), log, wanted, ranges, look);
      running.add(reader);
      const ended = () => running.delete(reader);
      reader.finished.then(ended, ended);
      return {
        caughtUp: reader.caughtUp,
        finished: reader.finished,
        positions: () => reader.positions(),
        stop: () => reader.stop(),
      };
    },
    async makeTopic(topic) {
      mustBeOpen();
      return topics.make(topic);
    },
    async ranges(topic, beforeMs) {
      mustBeOpen();
      return rangesIn(topic, beforeMs);
    },
    async positions(prefix) {
      mustBeOpen();
      return groupPositions(connection, prefix, withinMs);
    },
    async at(position) {
      mustBeOpen();
      const partitions = await topics.partitionsOf(position.topic);
      if (!partitions.includes(position.partition)) return null;
      return recordAt(connection, position, withinMs);
    },
    async ping() {
      mustBeOpen();
      await topics.probe();
    },
    close() {
      closing ??= (async () => {
        await Promise.all([...running].map((each) => each.stop()));
        await appender.settled();
        isClosed = true;
        connection.close();
      })();
      return closing;
    },
  };
}
