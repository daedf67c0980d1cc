import { BODY_AT, CHECKED_FROM, CHECKSUM_AT, LENGTH_ENDS_AT } from '../batches/read-batches.ts';
import { crc32c } from '../client.ts';

type WrittenHeader = readonly [name: string, value: string | null];

type WrittenRecord = {
  key?: string | null;
  value?: string | Uint8Array | null;
  headers?: readonly WrittenHeader[] | Buffer;
  timestampDelta?: number;
  /** The record's offset within the batch. Default: its index. */
  offsetDelta?: number;
};

export type BatchFields = {
  baseOffset?: number;
  records?: readonly WrittenRecord[];
  attributes?: number;
  lastOffsetDelta?: number;
  recordCount?: number;
  producerId?: bigint;
  /** Changes the bytes of the records, for example by compressing or cutting them. */
  pack?(body: Buffer): Buffer;
};

export const BASE_TIME = 1_700_000_000_000;
export const LOG_TIME = BASE_TIME + 5_000;
export const ATTRIBUTES = { gzip: 1, snappy: 2, lz4: 3, zstd: 4, logTime: 8, transactional: 16, control: 32 };

/** Builds a batch as a normal or malicious producer would. The checksum always matches the content. */
export function writeBatch(fields: BatchFields = {}): Buffer {
  const { baseOffset = 0, records = [{ key: 'k', value: 'v' }], attributes = ATTRIBUTES.logTime } = fields;
  const { lastOffsetDelta = records.length - 1, recordCount = records.length, producerId = -1n } = fields;
  const { pack = (body) => body } = fields;
  const body = pack(Buffer.concat(records.map(recordBytes)));
  const header = Buffer.alloc(BODY_AT);
  header.writeBigInt64BE(BigInt(baseOffset), 0);
  header.writeInt32BE(header.length + body.length - LENGTH_ENDS_AT, 8);
  header.writeInt8(2, 16);
  header.writeInt16BE(attributes, 21);
  header.writeInt32BE(lastOffsetDelta, 23);
  header.writeBigInt64BE(BigInt(BASE_TIME), 27);
  header.writeBigInt64BE(BigInt(LOG_TIME), 35);
  header.writeBigInt64BE(producerId, 43);
  header.writeInt32BE(recordCount, 57);
  const batch = Buffer.concat([header, body]);
  batch.writeUInt32BE(crc32c(batch.subarray(CHECKED_FROM)), CHECKSUM_AT);
  return batch;
}

function recordBytes(record: WrittenRecord, at: number): Buffer {
  const { key = null, value = null, headers = [], timestampDelta = 0, offsetDelta = at } = record;
  const content = Buffer.concat([
    Buffer.of(0),
    varint(timestampDelta),
    varint(offsetDelta),
    sized(key),
    sized(value),
    Buffer.isBuffer(headers) ? headers : headerBytes(headers),
  ]);
  return sized(content);
}

export function headerBytes(headers: readonly WrittenHeader[]): Buffer {
  const written = headers.flatMap(([name, text]) => [sized(name), sized(text)]);
  return Buffer.concat([varint(headers.length), ...written]);
}

function sized(bytes: string | Uint8Array | null): Buffer {
  if (bytes === null) return varint(-1);
  const content = Buffer.from(bytes);
  return Buffer.concat([varint(content.length), content]);
}

export function varint(number: number): Buffer {
  const bytes: number[] = [];
  let zigzag = number < 0 ? -2 * number - 1 : 2 * number;
  for (; zigzag >= 0x80; zigzag = Math.floor(zigzag / 128)) bytes.push((zigzag % 128) | 0x80);
  return Buffer.from([...bytes, zigzag]);
}
