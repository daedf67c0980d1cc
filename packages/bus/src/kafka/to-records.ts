import type { LogRecord } from '../port.ts';
import { AbortedTransactions } from './batches/aborted-transactions.ts';
import { BatchFault } from './batches/batch-fault.ts';
import { isThinned, mustBeAsSent, type RecordBatch, readBatches } from './batches/read-batches.ts';
import { type BatchRecord, MOST_BYTES, MOST_RECORDS, readRecords } from './batches/read-records.ts';
import type { FetchedPartition } from './client.ts';

/** What one fetch brought of a partition. */
export type Arrived = {
  records: LogRecord[];
  /** The offset to fetch from next: behind all that came, control records and aborted transactions included. */
  nextOffset: number;
  /** The first offset that should have been there and was not, if so. */
  missing: number | null;
  /** What is wrong with the batch at `nextOffset`, where it cannot have been its producer: `{ cause }`. */
  spoilt: { cause: unknown } | null;
};

/**
 * Topics here are not compacted, so offsets follow one another without a gap, if one counts what transactions leave
 * behind and no consumer sees. A gap is a loss.
 *
 * What a batch holds is its producer's doing: one that cannot be read is handed over as what it is. Its frame and its
 * checksum are not, for the broker looks at both: where they are wrong, reading ends.
 *
 * A batch may unpack to very much, and take its time. For the sake of memory and of the other partitions, what lies
 * behind such batches is left to the next fetch.
 */
export async function toRecords(from: number, fetched: FetchedPartition): Promise<Arrived> {
  const aborted = new AbortedTransactions(fetched.abortedTransactions);
  const arrived: Arrived = { records: [], nextOffset: from, missing: null, spoilt: null };
  let bytes = 0;
  try {
    for (const batch of readBatches(fetched.batches)) {
      const isHidden = aborted.hold(batch) || batch.isControl;
      const { records, nextOffset } = arrived;
      // A batch comes whole, also what of it lies before the offset that was asked for.
      if (batch.lastOffset < nextOffset) continue;
      if (batch.baseOffset > nextOffset || isThinned(batch)) return { ...arrived, missing: nextOffset };
      if (bytes >= MOST_BYTES || records.length >= MOST_RECORDS) return arrived;
      if (!isHidden) {
        const read = await handedOver(batch, nextOffset, fetched);
        for (const record of read.records) records.push(record);
        bytes += read.bytes;
      }
      arrived.nextOffset = batch.lastOffset + 1;
    }
    return arrived;
  } catch (cause) {
    return { ...arrived, spoilt: { cause } };
  }
}

/**
 * What of the batch lies at `from` or behind it. One that cannot be read counts as all that one fetch may unpack, for it
 * may have cost as much before it was given up.
 */
async function handedOver(
  batch: RecordBatch,
  from: number,
  { topic, partition }: FetchedPartition,
): Promise<{ records: LogRecord[]; bytes: number }> {
  try {
    const { records, bytes } = await readRecords(batch);
    const wanted = records.slice(from - batch.baseOffset);
    return { records: wanted.map((record) => toRecord(topic, partition, record)), bytes };
  } catch (error) {
    if (!(error instanceof BatchFault)) throw error;
    mustBeAsSent(batch);
    const { lastOffset, bytes: value, maxTimestampMs: appendedAtMs } = batch;
    const position = { topic, partition, offset: from };
    const unreadable = { lastOffset, reason: error.message };
    return {
      records: [{ position, key: null, value, headers: {}, appendedAtMs, unreadable }],
      bytes: MOST_BYTES,
    };
  }
}

function toRecord(
  topic: string,
  partition: number,
  { offset, key, value, headers, timestampMs }: BatchRecord,
): LogRecord {
  return {
    position: { topic, partition, offset },
    key: key?.toString() ?? null,
    value: value ?? new Uint8Array(),
    headers,
    appendedAtMs: timestampMs,
  };
}
