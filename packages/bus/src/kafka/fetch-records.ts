import { unreadable } from '../errors.ts';
import { type Broker, fetchPartitions } from './client.ts';
import type { Cursor } from './cursor.ts';
import { type Arrived, toRecords } from './to-records.ts';

export type Asked = { cursor: Cursor; offset: number };
/** A cursor that the fetch failed for, and the error. */
export type Refused = { asked: Asked; error: unknown };
type Fetched = { cursor: Cursor; arrived: Arrived; endOffset: number };

const FETCH_BYTES = 10 * 1024 * 1024;
const PARTITION_BYTES = 1024 * 1024;
/**
 * A size limit for a response that contains exactly one batch. A broker always sends the first batch whole, even if
 * the batch is larger than the limit.
 */
export const ONE_BATCH_BYTES = 1;

/**
 * Fetches for several cursors at once and delivers the records. Returns the cursors for which the broker sent an
 * error. A cursor fails if its next batch was damaged after the producer sent it.
 */
export async function fetchRecords(
  broker: Broker,
  asked: readonly Asked[],
  maxWaitTime: number,
  deliver: (fetched: Fetched) => void,
  partitionBytes = PARTITION_BYTES,
): Promise<Refused[]> {
  const byTopic = Map.groupBy(asked, ({ cursor }) => cursor.topic);
  const partitions = await fetchPartitions(broker, {
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
  const refused: Refused[] = [];
  for (const fetched of partitions) {
    const { topic, partition, error, endOffset } = fetched;
    const found = byTopic.get(topic)?.find(({ cursor }) => cursor.partition === partition);
    if (found === undefined) continue;
    if (error !== null) {
      refused.push({ asked: found, error });
      continue;
    }
    const { cursor, offset } = found;
    const arrived = await toRecords(offset, fetched);
    deliver({ cursor, arrived, endOffset });
    if (arrived.damaged !== null) {
      const { cause } = arrived.damaged;
      cursor.fail(unreadable({ topic, partition, offset: arrived.nextOffset, cause }));
    }
  }
  return refused;
}
