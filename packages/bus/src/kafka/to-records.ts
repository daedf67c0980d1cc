import type { LogRecord } from '../port.ts';
import { AbortedTransactions } from './batches/aborted-transactions.ts';
import { BatchFault } from './batches/batch-fault.ts';
import { isCompacted, type RecordBatch, readBatches, verifyChecksum } from './batches/read-batches.ts';
import { type BatchRecord, MAX_BYTES, MAX_RECORDS, readRecords } from './batches/read-records.ts';
import type { FetchedPartition } from './client.ts';

/** The result of one fetch of a partition. */
export type Arrived = {
  records: LogRecord[];
  /**
   * The next offset to fetch. It follows all received batches, including control batches and aborted transactions.
   */
  nextOffset: number;
  /** The first offset that is missing on the log. Null if no offset is missing. */
  missing: number | null;
  /**
   * The error of the batch at `nextOffset`, as `{ cause }`, if the batch was damaged after the producer sent it.
   * Otherwise null.
   */
  damaged: { cause: unknown } | null;
};

/**
 * Decodes the data of one partition in a fetch.
 *
 * Mandate's topics are not compacted. So offsets have no gaps, counting the entries of transactions that consumers
 * do not get. A gap means lost records.
 *
 * The producer is responsible for the content of a batch: an unreadable batch is handed over as unreadable. The
 * broker checks the frame and the checksum. If they are wrong, reading ends.
 *
 * A batch may decompress to a very large size, and this takes long. To save memory and time, the batches after such
 * a batch are left to the next fetch.
 */
export async function toRecords(from: number, fetched: FetchedPartition): Promise<Arrived> {
  const aborted = new AbortedTransactions(fetched.abortedTransactions);
  const arrived: Arrived = { records: [], nextOffset: from, missing: null, damaged: null };
  let bytes = 0;
  try {
    for (const batch of readBatches(fetched.batches)) {
      const isHidden = aborted.isAborted(batch) || batch.isControl;
      const { records, nextOffset } = arrived;
      // Skips a batch before the requested offset. A broker sends whole batches, so it may also send earlier records.
      if (batch.lastOffset < nextOffset) continue;
      if (batch.baseOffset > nextOffset || isCompacted(batch)) return { ...arrived, missing: nextOffset };
      if (bytes >= MAX_BYTES || records.length >= MAX_RECORDS) return arrived;
      if (!isHidden) {
        const read = await handedOver(batch, nextOffset, fetched);
        for (const record of read.records) records.push(record);
        bytes += read.bytes;
      }
      arrived.nextOffset = batch.lastOffset + 1;
    }
    return arrived;
  } catch (cause) {
    return { ...arrived, damaged: { cause } };
  }
}

/**
 * Returns the records of the batch from `from` on. An unreadable batch counts as the largest allowed size, because
 * reading it may have cost as much.
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
    verifyChecksum(batch);
    const { lastOffset, bytes: value, maxTimestampMs: appendedAtMs } = batch;
    const position = { topic, partition, offset: from };
    const unreadable = { lastOffset, reason: error.message };
    return {
      records: [{ position, key: null, value, headers: {}, appendedAtMs, unreadable }],
      bytes: MAX_BYTES,
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
