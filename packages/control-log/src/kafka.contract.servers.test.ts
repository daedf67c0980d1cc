import { randomUUID } from 'node:crypto';
import { createKafkaBus } from '@mandate/bus';
import { silentLogger } from '@mandate/runtime';
import { busOfOwnTopics, describeWithServers, sharedServer } from '@mandate/testing';
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
    return busOfOwnTopics(bus, randomUUID());
  });
});
