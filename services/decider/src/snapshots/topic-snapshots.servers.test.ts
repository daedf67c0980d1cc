import { randomUUID } from 'node:crypto';
import { type Bus, createKafkaBus } from '@mandate/bus';
import { silentLogger } from '@mandate/runtime';
import { busWith, describeWithServers, sharedServer } from '@mandate/testing';
import { onTestFinished } from 'vitest';
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
    return topicSnapshots(renamed(bus, randomUUID()));
  });
});

/** Every topic is one of its own, for the brokers are others' too. */
function renamed(bus: Bus, suffix: string): Bus {
  const own = (topic: string) => `${topic}.${suffix}`;
  return busWith(bus, {
    append: (topic, records) => bus.append(own(topic), records),
    ranges: (topic) => bus.ranges(own(topic)),
    at: ({ topic, ...place }) => bus.at({ topic: topic.endsWith(suffix) ? topic : own(topic), ...place }),
  });
}
