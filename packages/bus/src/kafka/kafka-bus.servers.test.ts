import { describeWithOwnServers, type KafkaCluster, startKafka } from '@mandate/testing';
import { afterAll, beforeAll, describe } from 'vitest';
import { busContract } from '../contract.ts';
import { LogUnderTest } from './testing/log-under-test.ts';

describeWithOwnServers(['kafka'], 'the log on Kafka', () => {
  /** What a rebalance takes is the measure, on a machine that has much else to do. */
  const PATIENCE_MS = 30_000;

  describe.each([1, 3] as const)('brokers: %i,', (brokers) => {
    let cluster: KafkaCluster;
    beforeAll(async () => {
      cluster = await startKafka({ brokers });
    });
    afterAll(() => cluster?.stop());

    busContract(
      'Kafka',
      async () => {
        const log = new LogUnderTest(cluster.brokers);
        return {
          bus: await log.open(),
          another: () => log.open(),
          expire: (topic) => log.expire(topic),
          dispose: () => log.close(),
        };
      },
      PATIENCE_MS,
    );
  });
});
