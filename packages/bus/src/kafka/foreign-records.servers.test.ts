import { randomUUID } from 'node:crypto';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { byLength, describeWithOwnServers, type KafkaCluster, startKafka } from '@mandate/testing';
import kafkajs, { type Kafka } from 'kafkajs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { nextOffset } from '../next-offset.ts';
import type { Batch, Bus } from '../port.ts';
import { MAX_BYTES } from './batches/read-records.ts';
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
  const commitAll = (batch: Batch) => batch.commit((batch.records.at(-1)?.position.offset ?? 0) + 1);

  /** Returns all records of the topic, in order. */
  async function everything(): Promise<string[]> {
    const seen: string[] = [];
    const reader = await bus.read({
      topics: [topic],
      from: 'earliest',
      onRecords: (records) => void seen.push(...textsOf(records)),
    });
    await Promise.race([reader.caughtUp, reader.finished]);
    await reader.stop();
    return seen;
  }

  test.each(byLength({ short: ['snappy', 'zstd'], full: ['gzip', 'snappy', 'lz4', 'zstd'] }))(
    'reads records that Kafka itself compressed with %s',
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

  test('reads records of committed transactions but not of aborted transactions, and both leave no lag', async () => {
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
        const { offset: first = 0 } = batch.records[0]?.position ?? {};
        expect(batch.records.map(({ position }) => position.offset)).toEqual(
          batch.records.map((_, i) => first + i),
        );
        await commitAll(batch);
        // Counts records only after their commit. A member that loses its partition gets the same batch again. This
        // often happens on a new broker.
        seen.push(...textsOf(batch.records));
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

  describe('batches that no reader can decode', () => {
    const { GZIP, ZSTD } = kafkajs.CompressionTypes;
    const { CompressionCodecs } = kafkajs as unknown as { CompressionCodecs: Record<number, () => object> };
    const codecs = { ...CompressionCodecs };
    afterEach(() => void Object.assign(CompressionCodecs, codecs));

    const packing = (compress: (bytes: Buffer) => Buffer) => () => ({
      compress: async ({ buffer }: { buffer: Buffer }) => compress(buffer),
    });

    async function send(compression: number, value: Buffer | string): Promise<void> {
      const producer = foreign.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
      await producer.connect();
      await producer.send({ topic, messages: [{ key: 'k', value }], compression });
      await producer.disconnect();
    }

    async function bombs(): Promise<void> {
      CompressionCodecs[GZIP] = packing((bytes) => gzipSync(bytes));
      CompressionCodecs[ZSTD] = packing((bytes) => zstdCompressSync(bytes));
      await bus.append(topic, [
        { key: 'k', value: 'first' },
        { key: 'k', value: 'second' },
      ]);
      await send(GZIP, Buffer.alloc(70 * 1024 * 1024, ' '));
      await send(ZSTD, Buffer.alloc(80 * 1024 * 1024));
      await bus.append(topic, [{ key: 'k', value: 'behind' }]);
    }

    const fromTheStart = () => ({ group: `${topic}.group`, topics: [topic], from: 'earliest' as const });

    test('halt a consumer that does not accept them, after the earlier records, with an error that names the batch', async () => {
      await bombs();
      const seen: string[] = [];
      const consumer = await bus.consume({
        ...fromTheStart(),
        async onBatch(batch) {
          seen.push(...textsOf(batch.records));
          await commitAll(batch);
        },
      });
      const failure = {
        code: 'BUS_UNREADABLE',
        message: expect.stringContaining(
          `the batch at offset 2 of ${topic}/0 cannot be read: it would become more`,
        ),
      };
      await expect(consumer.finished).rejects.toMatchObject(failure);
      expect(seen).toEqual(['first', 'second']);
      expect((await consumer.lag()).map(({ lag }) => lag)).toEqual([3]);
      await expect(everything()).rejects.toMatchObject(failure);
      await expect(bus.at({ topic, partition: 0, offset: 2 })).rejects.toMatchObject(failure);
    });

    test('are handed to a consumer that accepts them, and a commit skips them', async () => {
      await bombs();
      const seen: string[] = [];
      const consumer = await bus.consume({
        ...fromTheStart(),
        takesUnreadable: true,
        async onBatch(batch) {
          for (const record of batch.records) {
            seen.push(record.unreadable?.reason ?? Buffer.from(record.value).toString());
            await batch.commit(nextOffset(record));
          }
        },
      });
      const bomb = `it would become more than ${MAX_BYTES} bytes`;
      const all = ['first', 'second', bomb, bomb, 'behind'];
      await vi.waitFor(() => expect(seen).toEqual(all), PATIENCE);
      await vi.waitFor(
        async () => expect((await consumer.lag()).map(({ lag }) => lag)).toEqual([0]),
        PATIENCE,
      );
      await consumer.stop();
    });

    test('do not reach the log if the broker itself refuses them', async () => {
      CompressionCodecs[GZIP] = packing((bytes) => gzipSync(bytes).subarray(0, -20));
      await expect(send(GZIP, 'x'.repeat(10_000))).rejects.toThrow();
      expect(await everything()).toEqual([]);
    });
  });
});
