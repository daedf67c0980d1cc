import { randomUUID } from 'node:crypto';
import { topicSnapshots } from '@mandate/bus';
import { createKafkaBus } from '@mandate/bus/kafka';
import { silentLogger } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import { busOfOwnTopics, describeWithServers, sharedServer } from '@mandate/testing';
import { onTestFinished } from 'vitest';
import { controlLogContract } from './contract.ts';
import { controlSnapshotsContract } from './snapshots/contract.ts';

describeWithServers(['kafka'], 'the control topic on Kafka', () => {
  const open = async () => {
    const bus = await createKafkaBus({
      brokers: (await sharedServer('kafka')).split(','),
      clientId: 'test',
      log: silentLogger(),
      createTopics: true,
      replicationFactor: 1,
      minInSyncReplicas: 1,
    });
    onTestFinished(() => bus.close());
    return busOfOwnTopics(bus, randomUUID());
  };
  controlLogContract(open);
  controlSnapshotsContract(async () => {
    const bus = await open();
    return { bus, snapshots: topicSnapshots(bus, TOPICS.controlSnapshots) };
  });
});
