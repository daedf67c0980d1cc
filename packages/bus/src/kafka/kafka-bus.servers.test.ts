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
      // None is killed here, and one that gets no turn is not taken for dead: what it wrote then would be sent again.
      cluster = await startKafka({ brokers, config: { 'broker.session.timeout.ms': '60000' } });
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
