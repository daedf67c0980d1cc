/**
 * Reads batches in the format of the log and of broker responses: version 2 of Kafka's format, the only version since
 * Kafka 0.11 (Kafka documentation, "Record Batch"). The header is readable even if its records are not.
 */

import { crc32c } from '../client.ts';

/** A record batch. Its records are not decoded yet. */
export type RecordBatch = {
  baseOffset: number;
  lastOffset: number;
  /** The number of the compression codec, as in decompress.ts. */
  codec: number;
  isTransactional: boolean;
  /** True for a batch that the broker wrote to end a transaction. It contains no records from producers. */
  isControl: boolean;
  producerId: bigint;
  /**
   * True if the log set the time. Then all records have the same time. If the producer set the time, each record has
   * its own.
   */
  isLogTime: boolean;
  baseTimestampMs: number;
  maxTimestampMs: number;
  recordCount: number;
  /** The records as received, compressed or not. */
  body: Buffer;
  /** The bytes of the whole batch, including its header. */
  bytes: Buffer;
};

const MAGIC = 2;
/** The number of bytes that a batch's length field does not count: the base offset and the length field itself. */
export const LENGTH_ENDS_AT = 12;
export const CHECKSUM_AT = 17;
export const CHECKED_FROM = 21;
export const BODY_AT = 61;
const CODEC_BITS = 0x07;
const LOG_TIME_BIT = 0x08;
const TRANSACTIONAL_BIT = 0x10;
const CONTROL_BIT = 0x20;

/**
 * Yields the batches of a broker's response, in order. Leaves out the last batch if it is incomplete, because a full
 * response may end inside a batch. Throws if a frame is broken: the broker accepts only correct frames, so the frame
 * was damaged later.
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
 * Throws if the checksum is wrong. The broker checks the checksum before it accepts a batch. So a wrong checksum
 * means that the broker, its disk or the network damaged the batch later. If the checksum is right, the producer
 * caused the fault.
 */
export function verifyChecksum({ bytes }: RecordBatch): void {
  if (crc32c(bytes.subarray(CHECKED_FROM)) !== bytes.readUInt32BE(CHECKSUM_AT)) {
    throw new Error('its checksum does not fit: it is not what was sent');
  }
}

/**
 * True if compaction removed records from the batch. The other records keep their offsets. A broker accepts no new
 * batch with such gaps.
 */
export function isCompacted({ baseOffset, lastOffset, recordCount }: RecordBatch): boolean {
  return recordCount !== lastOffset - baseOffset + 1;
}
