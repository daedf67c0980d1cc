import { existsSync } from 'node:fs';
import { Kafka, logLevel } from 'kafkajs';
import { expect, it, onTestFinished } from 'vitest';
import { waitUntil } from '../../wait-until.ts';
import { nothingListens } from '../nothing-listens.ts';
import { describeWithOwnServers, describeWithServers, sharedServer } from '../with-servers.ts';
import { createTopic } from './create-topic.ts';
import { startKafka } from './start-kafka.ts';

function client(brokers: string[]): Kafka {
  // kafkajs waits longer and longer before it tries a broker again. Without this limit, it would notice a restarted
  // broker seconds late.
  return new Kafka({ brokers, logLevel: logLevel.NOTHING, retry: { retries: 50, maxRetryTime: 500 } });
}

async function withTopic(kafka: Kafka, topic: string) {
  const admin = kafka.admin();
  const producer = kafka.producer({ allowAutoTopicCreation: false });
  await Promise.all([admin.connect(), producer.connect()]);
  onTestFinished(async () => {
    await Promise.all([admin.disconnect(), producer.disconnect()]);
  });
  await createTopic(admin, topic);
  const append = (value: string) =>
    producer.send({ topic, acks: -1, messages: [{ partition: 0, key: 'key', value }] });
  return { admin, append };
}

async function consumed(kafka: Kafka, topic: string, count: number): Promise<string[]> {
  const consumer = kafka.consumer({ groupId: `reads-${topic}`, maxWaitTimeInMs: 100 });
  const values: string[] = [];
  await consumer.connect();
  try {
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachMessage: async ({ message }) => void values.push(String(message.value)),
    });
    await waitUntil(`${count} records of ${topic}`, () => values.length >= count, 60_000);
    return values;
  } finally {
    await consumer.disconnect();
  }
}

describeWithServers(['kafka'], 'the Kafka of the run', () => {
  it('accepts a record and delivers it to a group', async () => {
    const kafka = client((await sharedServer('kafka')).split(','));
    const { append } = await withTopic(kafka, 'answers');
    await append('one');
    expect(await consumed(kafka, 'answers', 1)).toEqual(['one']);
  });
});

describeWithOwnServers(['kafka'], 'startKafka', () => {
  it('keeps its data after SIGTERM and SIGKILL, answers nothing while paused, and leaves no process and no files', async () => {
    const cluster = await startKafka();
    onTestFinished(() => cluster.stop());
    const [broker] = cluster.nodes;
    if (broker === undefined) throw new Error('a cluster has a broker');
    const kafka = client(cluster.brokers);
    const { append } = await withTopic(kafka, 'kept');
    await append('before');
    await broker.restart();
    await append('ended');
    await broker.kill();
    await broker.restart();
    await append('killed');
    expect(await consumed(kafka, 'kept', 3)).toEqual(['before', 'ended', 'killed']);

    broker.pause();
    let appended = false;
    const waits = append('paused').then(() => {
      appended = true;
    });
    // Another broker answers while this broker is paused. So the paused broker had enough time to answer.
    const other = await withTopic(client((await sharedServer('kafka')).split(',')), 'meanwhile');
    await other.append('one');
    expect(appended).toBe(false);
    broker.resume();
    await waits;

    await cluster.stop();
    expect(await nothingListens(Number(broker.address.split(':')[1]))).toBe(true);
    expect(existsSync(broker.folder)).toBe(false);
  });

  it('creates a topic only on request', async () => {
    const kafka = client((await sharedServer('kafka')).split(','));
    const producer = kafka.producer({ retry: { retries: 1 } });
    await producer.connect();
    onTestFinished(() => producer.disconnect());
    const sent = producer.send({ topic: 'nobody-asked', messages: [{ value: 'x' }] });
    await expect(sent).rejects.toThrow('does not host this topic-partition');
  });

  it('forms a cluster of three brokers that survives the loss of one', async () => {
    await using cluster = await startKafka({ brokers: 3 });
    const kafka = client(cluster.brokers);
    const { admin, append } = await withTopic(kafka, 'replicated');
    await append('with three');
    const leader = async () =>
      (await admin.fetchTopicMetadata({ topics: ['replicated'] })).topics[0]?.partitions[0];
    const led = await leader();
    expect(led?.replicas.toSorted()).toEqual([1, 2, 3]);
    await cluster.nodes.find(({ nodeId }) => nodeId === led?.leader)?.kill();
    await waitUntil('another leader', async () => (await leader())?.leader !== led?.leader, 60_000);
    await append('with two');
    expect(await consumed(kafka, 'replicated', 2)).toEqual(['with three', 'with two']);
  });
});
