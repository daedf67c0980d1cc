import { BatchFault } from './batch-fault.ts';
import { decompress } from './decompress.ts';
import type { RecordBatch } from './read-batches.ts';

/**
 * The maximum size of a decompressed batch, in bytes. A batch has at most 1 MiB when it is sent, and agents' text
 * compresses about tenfold. A larger batch is an attack on memory.
 */
export const MAX_BYTES = 32 * 1024 * 1024;
/**
 * The maximum number of records in a batch. The byte limit is not enough: an empty record has seven bytes and a
 * header two, but in memory they need much more.
 */
export const MAX_RECORDS = 100_000;
const MAX_HEADERS = 10 * MAX_RECORDS;
const MAX_HEADERS_OF_ONE = 1_000;

export type BatchRecord = {
  offset: number;
  timestampMs: number;
  key: Buffer | null;
  value: Buffer | null;
  headers: Record<string, string>;
};

/**
 * Returns the records of a batch, and their decompressed size in bytes.
 * @throws BatchFault if the batch cannot be read, with a message for its producer
 */
export async function readRecords(batch: RecordBatch): Promise<{ records: BatchRecord[]; bytes: number }> {
  const { recordCount } = batch;
  if (recordCount > MAX_RECORDS) {
    throw new BatchFault(`it holds ${recordCount} records; ${MAX_RECORDS} are allowed`);
  }
  const unpacked = await decompress(batch.codec, batch.body, MAX_BYTES);
  const reading = new Reading(unpacked);
  const records: BatchRecord[] = [];
  let headers = 0;
  for (let i = 0; i < recordCount; i++) {
    const record = readRecord(reading.part('a record'), batch);
    // The broker checks the number of records, but not their offsets, which the producer wrote.
    if (record.offset !== batch.baseOffset + i) throw new BatchFault(`its record ${i} is numbered otherwise`);
    records.push(record);
    headers += Object.keys(record.headers).length;
    if (headers > MAX_HEADERS) throw new BatchFault(`its records have more than ${MAX_HEADERS} headers`);
  }
  if (!reading.isAtEnd) throw new BatchFault('there is more after its last record');
  return { records, bytes: unpacked.length };
}

function readRecord(reading: Reading, batch: RecordBatch): BatchRecord {
  // Skips the attributes, which Kafka does not use yet.
  reading.byte();
  const timestampDelta = reading.varint();
  const offset = batch.baseOffset + reading.varint();
  const key = reading.bytes('a key');
  const value = reading.bytes('a value');
  const headers = readHeaders(reading);
  const timestampMs = batch.isLogTime ? batch.maxTimestampMs : batch.baseTimestampMs + timestampDelta;
  return { offset, timestampMs, key, value, headers };
}

/** Returns the headers. If a header occurs several times, the last value counts, as in Kafka's own `lastHeader`. */
function readHeaders(reading: Reading): Record<string, string> {
  const count = reading.varint();
  if (count > MAX_HEADERS_OF_ONE) {
    throw new BatchFault(`a record has ${count} headers; ${MAX_HEADERS_OF_ONE} are allowed`);
  }
  const headers: [name: string, value: string][] = [];
  for (let i = 0; i < count; i++) {
    const name = reading.bytes('a header') ?? '';
    headers.push([name.toString(), reading.bytes('a header')?.toString() ?? '']);
  }
  return Object.fromEntries(headers);
}

/** Reads bytes from front to end. Never reads beyond the end, even if a producer wrote a wrong length. */
class Reading {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new BatchFault('a record is cut short');
    return byte;
  }

  /** Reads a varint: seven bits in each byte, the lowest bits first. The lowest bit of the result is the sign. */
  varint(): number {
    let zigzag = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      zigzag += (byte & 0x7f) * scale;
      if (byte < 0x80) return zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
      if (scale > Number.MAX_SAFE_INTEGER) throw new BatchFault('a number has no end');
    }
  }

  /** Reads a length and then this many bytes. Null if the length is negative. */
  bytes(what: string): Buffer | null {
    const length = this.varint();
    if (length < 0) return null;
    if (length > this.#bytes.length - this.#at) throw new BatchFault(`${what} is cut short`);
    const start = this.#at;
    this.#at += length;
    return this.#bytes.subarray(start, this.#at);
  }

  part(what: string): Reading {
    return new Reading(this.bytes(what) ?? Buffer.alloc(0));
  }
}
