import { randomUUID } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { describeWithOwnServers, type KafkaCluster, startKafka } from '@mandate/testing';
import kafkajs, { type Kafka } from 'kafkajs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Batch, Bus } from '../port.ts';
import { registerCodecs } from './codecs/register-codecs.ts';
import { LogUnderTest } from './testing/log-under-test.ts';

describeWithOwnServers(['kafka'], 'records of other producers', () => {
  const PATIENCE = { timeout: 60_000, interval: 10 };

  let cluster: KafkaCluster;
  let foreign: Kafka;
  let log: LogUnderTest;
  let bus: Bus;
  let topic: string;

  beforeAll(async () => {
    cluster = await startKafka();
    foreign = new kafkajs.Kafka({ brokers: cluster.brokers, logLevel: kafkajs.logLevel.NOTHING });
  });
  afterAll(() => cluster?.stop());
  beforeEach(async () => {
    log = new LogUnderTest(cluster.brokers);
    bus = await log.open({ partitions: 1 });
    topic = `foreign.${randomUUID()}`;
    await bus.ranges(topic);
  });
  afterEach(() => log.close());

  const textsOf = (records: Batch['records']) => records.map(({ value }) => Buffer.from(value).toString());
  const commitAll = (batch: Batch) => batch.commit((batch.records.at(-1)?.coordinate.offset ?? 0) + 1);

  /** Everything that the topic hands out, in order. */
  async function everything(): Promise<string[]> {
    const seen: string[] = [];
    const reader = await bus.read({
      topics: [topic],
      from: 'earliest',
      onRecords: (records) => void seen.push(...textsOf(records)),
    });
    await reader.caughtUp;
    await reader.stop();
    return seen;
  }

  test.each(['gzip', 'snappy', 'lz4', 'zstd'])(
    'records compressed with %s by Kafka itself are read',
    async (codec) => {
      const admin = foreign.admin();
      await admin.alterConfigs({
        validateOnly: false,
        resources: [
          {
            type: kafkajs.ConfigResourceTypes.TOPIC,
            name: topic,
            configEntries: [
              { name: 'compression.type', value: codec },
              { name: 'message.timestamp.type', value: 'LogAppendTime' },
            ],
          },
        ],
      });
      await admin.disconnect();
      const texts = Array.from({ length: 500 }, (_, i) => `${i} ${'größe '.repeat(i)}`);
      for (const part of [texts.slice(0, 20), texts.slice(20)]) {
        await bus.append(
          topic,
          part.map((value) => ({ key: 'k', value })),
        );
      }
      expect(await everything()).toEqual(texts);
      const record = await bus.at({ topic, partition: 0, offset: 321 });
      expect(record && textsOf([record])).toEqual([texts[321]]);
    },
  );

  test('what transactions commit is read, what they abort is not, and neither leaves a lag', async () => {
    const producer = foreign.producer({ transactionalId: topic, maxInFlightRequests: 1, idempotent: true });
    await producer.connect();
    const inTransaction = async (value: string, end: 'commit' | 'abort') => {
      const transaction = await producer.transaction();
      await transaction.send({ topic, messages: [{ key: 'k', value }] });
      await transaction[end]();
    };
    const seen: string[] = [];
    const consumer = await bus.consume({
      group: `${topic}.group`,
      topics: [topic],
      from: 'earliest',
      async onBatch(batch) {
        const { offset: first = 0 } = batch.records[0]?.coordinate ?? {};
        expect(batch.records.map(({ coordinate }) => coordinate.offset)).toEqual(
          batch.records.map((_, i) => first + i),
        );
        seen.push(...textsOf(batch.records));
        await commitAll(batch);
      },
    });
    await inTransaction('committed', 'commit');
    await inTransaction('aborted', 'abort');
    await bus.append(topic, [{ key: 'k', value: 'plain' }]);
    await inTransaction('last', 'commit');
    await producer.disconnect();
    await vi.waitFor(() => expect(seen).toEqual(['committed', 'plain', 'last']), PATIENCE);
    await vi.waitFor(async () => expect((await consumer.lag()).map(({ lag }) => lag)).toEqual([0]), PATIENCE);
    await consumer.stop();
    expect(await everything()).toEqual(['committed', 'plain', 'last']);
  });

  test('a batch that would take all memory halts its group in front of it, by name, and what is before it arrives', async () => {
    await bus.append(topic, [
      { key: 'k', value: 'first' },
      { key: 'k', value: 'second' },
    ]);
    const producer = foreign.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
    await producer.connect();
    const compress = async ({ buffer }: { buffer: Buffer }) => zstdCompressSync(buffer);
    Object.assign(kafkajs.CompressionCodecs, { [kafkajs.CompressionTypes.ZSTD]: () => ({ compress }) });
    const bomb = { key: 'k', value: Buffer.alloc(80 * 1024 * 1024) };
    await producer.send({ topic, messages: [bomb], compression: kafkajs.CompressionTypes.ZSTD });
    await producer.disconnect();
    registerCodecs();
    await bus.append(topic, [{ key: 'k', value: 'behind' }]);

    const seen: string[] = [];
    const consumer = await bus.consume({
      group: `${topic}.group`,
      topics: [topic],
      from: 'earliest',
      async onBatch(batch) {
        seen.push(...textsOf(batch.records));
        await commitAll(batch);
      },
    });
    await expect(consumer.finished).rejects.toMatchObject({
      code: 'BUS_UNREADABLE',
      message: expect.stringContaining(`the batch at offset 2 of ${topic}/0 cannot be read`),
    });
    expect(seen).toEqual(['first', 'second']);
    expect((await consumer.lag()).map(({ lag }) => lag)).toEqual([2]);
  });
});
