import type { LogPosition, LogRecord } from '../port.ts';
import { type Connection, withBusErrors } from './connection.ts';
import { Cursor } from './cursor.ts';
import { answerOf } from './failure.ts';
import { fetchRecords, ONE_BATCH_BYTES } from './fetch-records.ts';
import { leaderOf } from './leader-of.ts';

/** Returns one record by its position, with one fetch of its batch. Null if the log does not have the record. */
export async function recordAt(
  connection: Connection,
  { topic, partition, offset }: LogPosition,
  withinMs: number,
): Promise<LogRecord | null> {
  if (!Number.isSafeInteger(offset) || offset < 0) return null;
  return withBusErrors(
    connection,
    async (cluster) => {
      const broker = await leaderOf(cluster, topic, partition);
      const cursor = new Cursor({ topic, partition, offset }, () => {});
      const [refused] = await fetchRecords(
        broker,
        [{ cursor, offset }],
        0,
        ({ arrived, endOffset }) => cursor.arrive(arrived, endOffset),
        ONE_BATCH_BYTES,
      );
      if (refused !== undefined && answerOf(refused.error) !== 'OFFSET_OUT_OF_RANGE') throw refused.error;
      const [record] = cursor.peek(1);
      return record?.position.offset === offset ? record : null;
    },
    withinMs,
  );
}
