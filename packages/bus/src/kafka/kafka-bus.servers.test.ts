import { byLength, describeWithOwnServers, type KafkaCluster, startKafka } from '@mandate/testing';
import { afterAll, beforeAll, describe } from 'vitest';
import { busContract, CONTRACT_PARTS } from '../contract.ts';
import { LogUnderTest } from './testing/log-under-test.ts';

describeWithOwnServers(['kafka'], 'the log on Kafka', () => {
  /** Milliseconds. This is longer than a rebalance on a busy machine. */
  const PATIENCE_MS = 30_000;

  // In a short run, the other tests of this folder append and follow topics.
  const PARTS = byLength({
    short: CONTRACT_PARTS.filter(
      (part) => part !== 'appending' && part !== 'changes of the topics of a group',
    ),
    full: CONTRACT_PARTS,
  });

  // In a short run, append-faults.servers.test.ts tests a cluster of three brokers.
  describe.each(byLength<(1 | 3)[]>({ short: [1], full: [1, 3] }))('brokers: %i,', (brokers) => {
    let cluster: KafkaCluster;
    beforeAll(async () => {
      // No test kills a broker here. The session is long, so that a slow broker does not count as dead. Otherwise
      // writes without an acknowledgement would be repeated.
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
      PARTS,
    );
  });
});
