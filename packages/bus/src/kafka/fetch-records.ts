import { unreadable } from '../errors.ts';
import { type Broker, READ_COMMITTED } from './client.ts';
import type { Cursor } from './cursor.ts';
import { isUnreadable } from './failure.ts';
import { type Arrived, toRecords } from './to-records.ts';

export type Asked = { cursor: Cursor; offset: number };
type Fetched = { cursor: Cursor; arrived: Arrived; endOffset: number };

const FETCH_BYTES = 10 * 1024 * 1024;
const PARTITION_BYTES = 1024 * 1024;
/** The first batch always comes whole: so this asks for exactly one. */
export const ONE_BATCH_BYTES = 1;

/**
 * Fetches for several cursors at once and hands over what came. A batch that cannot be read makes the whole answer
 * unreadable, and kafkajs does not say which it was: then it is asked for one partition at a time, and then for one
 * batch at a time, until all before it have arrived and the bad one has a name, which its cursor fails with.
 */
export async function fetchRecords(
  broker: Broker,
  asked: readonly Asked[],
  maxWaitMs: number,
  deliver: (fetched: Fetched) => void,
  partitionBytes = PARTITION_BYTES,
): Promise<void> {
  try {
    for (const fetched of await fetchOnce(broker, asked, maxWaitMs, partitionBytes)) deliver(fetched);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    const [first] = asked;
    if (asked.length > 1) {
      for (const each of asked) await fetchRecords(broker, [each], 0, deliver);
    } else if (partitionBytes > ONE_BATCH_BYTES) {
      await fetchRecords(broker, asked, 0, deliver, ONE_BATCH_BYTES);
    } else if (first !== undefined) {
      const { cursor, offset } = first;
      const { topic, partition } = cursor;
      cursor.fail(unreadable({ topic, partition, offset, cause: error }));
    }
  }
}

async function fetchOnce(
  broker: Broker,
  asked: readonly Asked[],
  maxWaitTime: number,
  partitionBytes: number,
): Promise<Fetched[]> {
  const byTopic = Map.groupBy(asked, ({ cursor }) => cursor.topic);
  const { responses } = await broker.fetch({
    replicaId: -1,
    isolationLevel: READ_COMMITTED,
    maxWaitTime,
    minBytes: 1,
    maxBytes: FETCH_BYTES,
    topics: [...byTopic].map(([topic, ofTopic]) => ({
      topic,
      partitions: ofTopic.map(({ cursor: { partition }, offset }) => ({
        partition,
        fetchOffset: `${offset}`,
        maxBytes: partitionBytes,
      })),
    })),
  });
  return responses.flatMap(({ topicName, partitions }) =>
    partitions.flatMap((fetched) => {
      const found = byTopic.get(topicName)?.find(({ cursor }) => cursor.partition === fetched.partition);
      if (found === undefined) return [];
      const { cursor, offset } = found;
      const endOffset = Number(fetched.highWatermark);
      return [{ cursor, arrived: toRecords(topicName, offset, fetched), endOffset }];
    }),
  );
}
