/** The log without Mandate: kafkajs' own producer and consumer, with the same bytes as Mandate's log. */
import type { Outgoing } from '@mandate/bus';
import { plainKafka, waitUntil } from '@mandate/testing';

export type PlainKafka = Awaited<ReturnType<typeof openPlainKafka>>;

/** An append waits until every in-sync replica has the record, as each append of Mandate's log does. */
const ACKS = -1;
/** Batches of at most 8 partitions are handled at the same time, as in Mandate's own consumer. */
const PARTITIONS_AT_ONCE = 8;

export type Taken = { partition: number; count: number; values: readonly (Buffer | null)[] };

export async function openPlainKafka(brokers: readonly string[]) {
  const kafka = plainKafka(brokers);
  const producer = kafka.producer({ allowAutoTopicCreation: false });
  await producer.connect();
  return {
    append: (topic: string, records: readonly Outgoing[]) =>
      producer.send({ topic, acks: ACKS, messages: records.map(messageOf) }),

    /** Reads `total` records as a member of the group, and commits each batch after the work on it. */
    async consume(
      { group, topic, total }: { group: string; topic: string; total: number },
      work: (taken: Taken) => Promise<unknown> = async () => {},
    ): Promise<void> {
      const consumer = kafka.consumer({ groupId: group });
      await consumer.connect();
      await consumer.subscribe({ topic, fromBeginning: true });
      const all = Promise.withResolvers<void>();
      let done = 0;
      consumer.on(consumer.events.CRASH, ({ payload }) => all.reject(payload.error));
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: PARTITIONS_AT_ONCE,
        async eachBatch({ batch, resolveOffset }) {
          const { partition, messages } = batch;
          await work({ partition, count: messages.length, values: messages.map(({ value }) => value) });
          const offset = String(Number(batch.lastOffset()) + 1);
          await consumer.commitOffsets([{ topic, partition, offset }]);
          resolveOffset(batch.lastOffset());
          done += messages.length;
          if (done >= total) all.resolve();
        },
      });
      await all.promise;
      await consumer.disconnect();
    },

    /** Resolves when the group has committed everything on the topic. */
    async untilCommitted(group: string, topic: string): Promise<void> {
      const admin = kafka.admin();
      await admin.connect();
      const ends = new Map(
        (await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => [partition, high]),
      );
      await waitUntil(`${group} to be through ${topic}`, async () => {
        const [committed] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
        return committed?.partitions.every(
          ({ partition, offset }) => Number(offset) >= Number(ends.get(partition)),
        );
      });
      await admin.disconnect();
    },

    close: () => producer.disconnect(),
  };
}

function messageOf({ key, value, partition, headers = {} }: Outgoing) {
  return {
    key,
    value: typeof value === 'string' ? value : Buffer.from(value),
    headers: { ...headers },
    ...(partition === undefined ? {} : { partition }),
  };
}
