import type { SQLOutputValue } from 'node:sqlite';
import { BATCH_BYTES } from '../batch-bytes.ts';
import type { LogRecord } from '../port.ts';
import type { Partition } from './topics.ts';

/** The limits of one fetch. They keep a fetch from blocking the event loop for more than a few milliseconds. */
const MAX_RECORDS = 1_000;

/**
 * Returns up to `limit` consecutive records from offset `from` on. Returns fewer if the records are large, and none
 * at the end.
 */
export function fetchRecords(partition: Partition, from: number, limit: number): LogRecord[] {
  const records: LogRecord[] = [];
  let bytes = 0;
  for (const row of partition.select.iterate(from, Math.min(limit, MAX_RECORDS))) {
    const record = toRecord(partition, row);
    records.push(record);
    bytes += record.value.byteLength;
    if (bytes >= BATCH_BYTES) break;
  }
  return records;
}

function toRecord(partition: Partition, row: Record<string, SQLOutputValue>): LogRecord {
  const { offset, appended_at_ms, key, headers, value } = row;
  return {
    position: { topic: partition.topic, partition: partition.partition, offset: Number(offset) },
    key: typeof key === 'string' ? key : null,
    value: value instanceof Uint8Array ? value : new Uint8Array(),
    headers: typeof headers === 'string' ? JSON.parse(headers) : {},
    appendedAtMs: Number(appended_at_ms),
  };
}
