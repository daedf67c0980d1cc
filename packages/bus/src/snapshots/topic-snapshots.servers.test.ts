import { randomUUID } from 'node:crypto';
import { silentLogger } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import { busOfOwnTopics, describeWithServers, sharedServer } from '@mandate/testing';
import { onTestFinished } from 'vitest';
import { createKafkaBus } from '../kafka/create-kafka-bus.ts';
import { snapshotsContract } from './contract.ts';
import { topicSnapshots } from './topic-snapshots.ts';

describeWithServers(['kafka'], 'snapshots on a topic of Kafka', () => {
  snapshotsContract(async () => {
    const bus = await createKafkaBus({
      brokers: (await sharedServer('kafka')).split(','),
      clientId: 'test',
      log: silentLogger(),
      createTopics: true,
      replicationFactor: 1,
      minInSyncReplicas: 1,
    });
    onTestFinished(() => bus.close());
    return topicSnapshots(busOfOwnTopics(bus, randomUUID()), TOPICS.snapshots);
  });
});
