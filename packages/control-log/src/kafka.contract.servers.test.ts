import { randomUUID } from 'node:crypto';
import { createKafkaBus } from '@mandate/bus';
import { silentLogger } from '@mandate/runtime';
import { busWith, describeWithServers, sharedServer } from '@mandate/testing';
import { onTestFinished } from 'vitest';
import { controlLogContract } from './contract.ts';

describeWithServers(['kafka'], 'the control topic on Kafka', () => {
  controlLogContract(async () => {
    const bus = await createKafkaBus({
      brokers: (await sharedServer('kafka')).split(','),
      clientId: 'test',
      log: silentLogger(),
      createTopics: true,
      replicationFactor: 1,
      minInSyncReplicas: 1,
    });
    onTestFinished(() => bus.close());
    // A topic of its own, for the brokers are others' too.
    const suffix = randomUUID();
    const own = (topic: string) => `${topic}.${suffix}`;
    return busWith(bus, {
      append: (topic, records) => bus.append(own(topic), records),
      read: (options) => bus.read({ ...options, topics: options.topics.map(own) }),
    });
  });
});
