/**
 * Batches as they lie on the log and come over the wire: version 2 of Kafka's format, the only one since Kafka 0.11
 * (its documentation, "Record Batch"). The header can be read whatever became of the records behind it.
 */

import { crc32c } from '../client.ts';

/** A batch, its records not yet read. */
export type RecordBatch = {
  baseOffset: number;
  lastOffset: number;
  /** How the records are compressed, as decompress.ts has it. */
  codec: number;
  isTransactional: boolean;
  /** Batches that brokers write to end a transaction hold no records of producers. */
  isControl: boolean;
  producerId: bigint;
  /** By the log's own clock all records of a batch have the same time; by the producer's, each has its own. */
  isLogTime: boolean;
  baseTimestampMs: number;
  maxTimestampMs: number;
  recordCount: number;
  /** The records as they came, compressed or not. */
  body: Buffer;
  /** All of it, header included. */
  bytes: Buffer;
};

const MAGIC = 2;
/** The base offset and the length itself are not counted in a batch's length. */
export const LENGTH_ENDS_AT = 12;
export const CHECKSUM_AT = 17;
export const CHECKED_FROM = 21;
export const BODY_AT = 61;
const CODEC_BITS = 0x07;
const LOG_TIME_BIT = 0x08;
const TRANSACTIONAL_BIT = 0x10;
const CONTROL_BIT = 0x20;

/**
 * The batches in what a broker sent, in order. Where they no longer fit into the answer the last one is cut, and left
 * out. Throws at a batch with a broken frame: a broker checks the frame before it takes a batch.
 */
export function* readBatches(bytes: Buffer): Generator<RecordBatch> {
  for (let at = 0; at + LENGTH_ENDS_AT <= bytes.length; ) {
    const length = LENGTH_ENDS_AT + bytes.readInt32BE(at + 8);
    if (length < BODY_AT) throw new Error(`a batch says that it has ${length} bytes`);
    if (at + length > bytes.length) return;
    yield readBatch(bytes.subarray(at, at + length));
    at += length;
  }
}

function readBatch(bytes: Buffer): RecordBatch {
  const magic = bytes.readInt8(16);
  if (magic !== MAGIC) throw new Error(`a batch is of version ${magic} of the format`);
  const baseOffset = Number(bytes.readBigInt64BE(0));
  const attributes = bytes.readInt16BE(21);
  return {
    baseOffset,
    lastOffset: baseOffset + bytes.readInt32BE(23),
    codec: attributes & CODEC_BITS,
    isTransactional: (attributes & TRANSACTIONAL_BIT) !== 0,
    isControl: (attributes & CONTROL_BIT) !== 0,
    isLogTime: (attributes & LOG_TIME_BIT) !== 0,
    baseTimestampMs: Number(bytes.readBigInt64BE(27)),
    maxTimestampMs: Number(bytes.readBigInt64BE(35)),
    producerId: bytes.readBigInt64BE(43),
    recordCount: bytes.readInt32BE(57),
    body: bytes.subarray(BODY_AT),
    bytes,
  };
}

/**
 * Throws when the checksum does not fit. The broker checks it before it takes a batch. So if the checksum of a batch
 * fits, its faults were there when its producer sent it; otherwise the broker, its disk or the way from there is to
 * blame.
 */
export function mustBeAsSent({ bytes }: RecordBatch): void {
  if (crc32c(bytes.subarray(CHECKED_FROM)) !== bytes.readUInt32BE(CHECKSUM_AT)) {
    throw new Error('its checksum does not fit: it is not what was sent');
  }
}

/** Compaction takes records out of a batch and leaves its offsets; a broker takes none that begins so. */
export function isThinned({ baseOffset, lastOffset, recordCount }: RecordBatch): boolean {
  return recordCount !== lastOffset - baseOffset + 1;
}
