import { silentLogger } from '@mandate/runtime';
import type { Bus } from '../../port.ts';
import { Connection, withBusErrors } from '../connection.ts';
import { createKafkaBus, type KafkaBusOptions } from '../create-kafka-bus.ts';
import { leaderOf } from '../leader-of.ts';
import { partitionsOf } from '../partitions-of.ts';
import { rangesOf } from '../ranges.ts';

const PATIENCE_MS = 30_000;

/**
 * The resources of one test on shared brokers. It remembers every client of the log that it opened, and closes them
 * at the end.
 */
export class LogUnderTest {
  readonly #brokers: readonly string[];
  readonly #opened: { close(): unknown }[] = [];

  constructor(brokers: readonly string[]) {
    this.#brokers = brokers;
  }

  async open(fields: Partial<KafkaBusOptions> = {}): Promise<Bus> {
    const bus = await createKafkaBus({
      brokers: this.#brokers,
      clientId: 'mandate-test',
      log: silentLogger(),
      createTopics: true,
      partitions: 4,
      replicationFactor: this.#brokers.length,
      minInSyncReplicas: this.#brokers.length > 1 ? 2 : 1,
      ...fields,
    });
    this.#opened.push(bus);
    return bus;
  }

  /** Returns a separate connection, for requests that the bus does not offer. */
  connect(): Connection {
    const connection = new Connection({ brokers: this.#brokers, clientId: 'mandate-test' }, silentLogger());
    this.#opened.push(connection);
    return connection;
  }

  /** Deletes all records of the topic from the log, as retention would. */
  async expire(topic: string): Promise<void> {
    await withBusErrors(
      this.connect(),
      async (cluster) => {
        const ranges = await rangesOf(cluster, topic, await partitionsOf(cluster, topic));
        for (const { partition, endOffset } of ranges) {
          const leader = await leaderOf(cluster, topic, partition);
          const upTo = { partition, offset: `${endOffset}` };
          await leader.deleteRecords({ topics: [{ topic, partitions: [upTo] }] });
        }
      },
      PATIENCE_MS,
    );
  }

  async addPartitions(topic: string, count: number): Promise<void> {
    const connection = this.connect();
    await withBusErrors(
      connection,
      async (cluster) => {
        await cluster.addMultipleTargetTopics([topic]);
        const controller = await cluster.findControllerBroker();
        await controller.createPartitions({ topicPartitions: [{ topic, count }], timeout: PATIENCE_MS });
      },
      PATIENCE_MS,
    );
    // Waits until every broker knows the new partitions. Only this look-up may be repeated. The request that adds the
    // partitions must not be repeated.
    await withBusErrors(connection, (cluster) => leaderOf(cluster, topic, count - 1), PATIENCE_MS);
  }

  async deleteTopic(topic: string): Promise<void> {
    await withBusErrors(
      this.connect(),
      async (cluster) => {
        await cluster.refreshMetadata();
        const controller = await cluster.findControllerBroker();
        await controller.deleteTopics({ topics: [topic], timeout: PATIENCE_MS });
      },
      PATIENCE_MS,
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.#opened.splice(0).map((each) => each.close()));
  }
}
