import type { LogRecord } from '../port.ts';
import { dropAborted, type FetchedMessage, type FetchedPartition } from './client.ts';

/** What one fetch brought of a partition. */
export type Arrived = {
  records: LogRecord[];
  /** The offset to fetch from next: behind all that came, control records and aborted transactions included. */
  nextOffset: number;
  /** The first offset that should have been there and was not, if so. */
  missing: number | null;
};

/**
 * Topics here are not compacted, so offsets follow one another without a gap, if one counts what transactions leave
 * behind and no consumer sees. A gap is a loss.
 */
export function toRecords(topic: string, from: number, fetched: FetchedPartition): Arrived {
  // A batch comes whole, also what of it lies before the offset that was asked for.
  const messages = fetched.messages.filter(({ offset }) => Number(offset) >= from);
  const gap = messages.findIndex(({ offset }, i) => Number(offset) !== from + i);
  const dense = gap === -1 ? messages : messages.slice(0, gap);
  const { abortedTransactions } = fetched;
  const visible = dropAborted({ messages: dense, abortedTransactions }).filter(
    (each) => !each.isControlRecord,
  );
  return {
    records: visible.map((message) => toRecord(topic, fetched.partition, message)),
    nextOffset: from + dense.length,
    missing: gap === -1 ? null : from + gap,
  };
}

function toRecord(topic: string, partition: number, message: FetchedMessage): LogRecord {
  const { offset, key, value, headers, timestamp } = message;
  return {
    coordinate: { topic, partition, offset: Number(offset) },
    key: key?.toString() ?? null,
    value: value ?? new Uint8Array(),
    headers: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, lastOf(text)])),
    appendedAtMs: Number(timestamp),
  };
}

/** Of a header that stands there several times the last one counts, as with Kafka's own `lastHeader`. */
function lastOf(value: FetchedMessage['headers'][string]): string {
  const last = Array.isArray(value) ? value.at(-1) : value;
  return last?.toString() ?? '';
}
