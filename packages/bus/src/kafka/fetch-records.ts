import { unreadable } from '../errors.ts';
import { type Broker, fetchPartitions } from './client.ts';
import type { Cursor } from './cursor.ts';
import { type Arrived, toRecords } from './to-records.ts';

export type Asked = { cursor: Cursor; offset: number };
/** A cursor that a fetch could not serve, and the error that the cursor got. */
export type Refused = { asked: Asked; error: unknown };
type Fetched = { cursor: Cursor; arrived: Arrived; endOffset: number };

const FETCH_BYTES = 10 * 1024 * 1024;
const PARTITION_BYTES = 1024 * 1024;
/** A broker always sends the first batch whole. So this size asks for exactly one batch. */
export const ONE_BATCH_BYTES = 1;

/**
 * Fetches for several cursors at once, delivers the records, and returns the cursors for which the broker sent an
 * error. A cursor fails if its next batch was damaged after its producer sent it.
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
