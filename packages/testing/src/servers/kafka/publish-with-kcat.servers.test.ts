import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { expect, onTestFinished } from 'vitest';
import { describeWithServers, sharedServer, testWithKcat } from '../with-servers.ts';
import { createTopic } from './create-topic.ts';
import { publishWithKcat } from './publish-with-kcat.ts';

const TOPIC = 'by-kcat';
const PARTITIONS = 8;
const KEYS = Array.from({ length: 64 }, (_, at) => `tenant/agent-${at}`);

/** Returns the partition that other producers choose. They use Kafka's own partitioner. */
const othersChoose = Partitioners.DefaultPartitioner();
const partitionMetadata = Array.from({ length: PARTITIONS }, (_, partitionId) => ({
  partitionId,
  leader: 1,
  replicas: [],
  isr: [],
  partitionErrorCode: 0,
}));

describeWithServers(['kafka'], 'publishWithKcat', () => {
  testWithKcat('sends a key where other producers send it, once', async () => {
    const brokers = (await sharedServer('kafka')).split(',');
    const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    onTestFinished(() => admin.disconnect());
    await createTopic(admin, TOPIC, PARTITIONS);

    await publishWithKcat(
      brokers,
      TOPIC,
      KEYS.map((key) => ({ key, value: '{}' })),
    );

    const expected = new Array(PARTITIONS).fill(0);
    for (const key of KEYS) {
      expected[othersChoose({ topic: TOPIC, partitionMetadata, message: { key, value: '{}' } })]++;
    }
    const counts = new Array(PARTITIONS).fill(0);
    for (const { partition, offset } of await admin.fetchTopicOffsets(TOPIC))
      counts[partition] = Number(offset);
    expect(counts).toEqual(expected);
  });
});
