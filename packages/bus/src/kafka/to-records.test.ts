import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { MAX_BYTES, MAX_RECORDS } from './batches/read-records.ts';
import type { FetchedPartition } from './client.ts';
import {
  ATTRIBUTES,
  BASE_TIME,
  type BatchFields,
  headerBytes,
  LOG_TIME,
  varint,
  writeBatch,
} from './testing/write-batch.ts';
import { type Arrived, toRecords } from './to-records.ts';

const fetched = (batches: readonly Buffer[], fields: Partial<FetchedPartition> = {}): FetchedPartition => ({
  topic: 't',
  partition: 0,
  error: null,
  endOffset: 100,
  abortedTransactions: [],
  batches: Buffer.concat(batches),
  ...fields,
});
const records = (count: number) => Array.from({ length: count }, (_, i) => ({ key: 'k', value: `${i}` }));
const batch = (baseOffset: number, count: number, fields: BatchFields = {}) =>
  writeBatch({ baseOffset, records: records(count), ...fields });
const offsetsOf = (arrived: Arrived) => arrived.records.map(({ position }) => position.offset);
const valuesOf = (arrived: Arrived) => arrived.records.map(({ value }) => Buffer.from(value).toString());
const WELL = { missing: null, damaged: null };

test('does not hand over records before the requested offset, even if their batch contains them', async () => {
  const arrived = await toRecords(6, fetched([batch(2, 2), batch(4, 4)]));
  expect(offsetsOf(arrived)).toEqual([6, 7]);
  expect(valuesOf(arrived)).toEqual(['2', '3']);
  expect(arrived).toMatchObject({ nextOffset: 8, ...WELL });
});

test('leaves an incomplete batch at the end of a response to the next response', async () => {
  const cut = batch(2, 2);
  for (const length of [1, 12, 30, 61, cut.length - 1]) {
    const arrived = await toRecords(0, fetched([batch(0, 2), cut.subarray(0, length)]));
    expect(arrived).toMatchObject({ nextOffset: 2, ...WELL });
    expect(offsetsOf(arrived)).toEqual([0, 1]);
  }
});

test('reports missing offsets at the start, between batches and inside a batch', async () => {
  expect(await toRecords(3, fetched([batch(5, 1)]))).toMatchObject({
    records: [],
    nextOffset: 3,
    missing: 3,
  });
  const arrived = await toRecords(3, fetched([batch(3, 1), batch(5, 1)]));
  expect(offsetsOf(arrived)).toEqual([3]);
  expect(arrived).toMatchObject({ nextOffset: 4, missing: 4 });
  const thinned = await toRecords(3, fetched([batch(3, 1), batch(4, 2, { lastOffsetDelta: 4 })]));
  expect(thinned).toMatchObject({ nextOffset: 4, missing: 4 });
});

test('counts the offsets of aborted transactions and control batches, but does not hand them over', async () => {
  const transactional = { producerId: 7n, attributes: ATTRIBUTES.transactional };
  const marker = (offset: number) =>
    batch(offset, 1, { producerId: 7n, attributes: ATTRIBUTES.transactional | ATTRIBUTES.control });
  const batches = [
    batch(0, 1),
    batch(1, 2, transactional),
    marker(3),
    batch(4, 1),
    batch(5, 1, transactional),
    marker(6),
  ];
  const abortedTransactions = [{ producerId: 7n, firstOffset: 1 }];
  const arrived = await toRecords(0, fetched(batches, { abortedTransactions }));
  expect(offsetsOf(arrived)).toEqual([0, 4, 5]);
  expect(arrived).toMatchObject({ nextOffset: 7, ...WELL });
});

test('does not end a transaction because of a record whose key looks like a control record', async () => {
  const transactional = { producerId: 7n, attributes: ATTRIBUTES.transactional };
  const likeMarker = batch(1, 1, { records: [{ key: '\0\0\0\0' }], ...transactional });
  const abortedTransactions = [{ producerId: 7n, firstOffset: 0 }];
  const batches = [batch(0, 1, transactional), likeMarker, batch(2, 1, transactional)];
  expect(offsetsOf(await toRecords(0, fetched(batches, { abortedTransactions })))).toEqual([]);
});

test('returns null for a missing key, an empty value for a missing value, and the last value of a repeated header', async () => {
  const headers = [
    ['a', '1'],
    ['b', null],
    ['__proto__', 'x'],
    ['a', '2'],
  ] as const;
  const written = writeBatch({ records: [{ headers }] });
  const [record] = (await toRecords(0, fetched([written]))).records;
  expect(record).toMatchObject({ key: null, appendedAtMs: LOG_TIME });
  expect(Object.entries(record?.headers ?? {})).toEqual([
    ['a', '2'],
    ['b', ''],
    ['__proto__', 'x'],
  ]);
  expect(record?.value).toHaveLength(0);
  expect(record).not.toHaveProperty('unreadable');
});

test('gives each record its own time if producers set the time', async () => {
  const deltas = [0, 1, -70, 3_000_000_000];
  const written = writeBatch({
    attributes: 0,
    records: deltas.map((timestampDelta) => ({ timestampDelta })),
  });
  const arrived = await toRecords(0, fetched([written]));
  expect(arrived.records.map(({ appendedAtMs }) => appendedAtMs - BASE_TIME)).toEqual(deltas);
});

const gzip = { attributes: ATTRIBUTES.gzip | ATTRIBUTES.logTime, pack: (body: Buffer) => gzipSync(body) };
const zstd = {
  attributes: ATTRIBUTES.zstd | ATTRIBUTES.logTime,
  pack: (body: Buffer) => zstdCompressSync(body),
};
const blanks = (bytes: number) => [{ key: 'k', value: Buffer.alloc(bytes, ' ') }];
const cut = (pack: (body: Buffer) => Buffer) => (body: Buffer) => pack(body).subarray(0, -5);
const garbled = (pack: (body: Buffer) => Buffer) => (body: Buffer) => {
  const bytes = pack(body);
  return bytes.fill(0x5a, Math.min(12, bytes.length >> 1), bytes.length >> 1);
};

test.each([
  ['gzip', gzip],
  ['zstd', zstd],
])('reads records compressed with %s', async (_, codec) => {
  const arrived = await toRecords(2, fetched([batch(0, 5, codec), batch(5, 5, codec)]));
  expect(valuesOf(arrived)).toEqual(['2', '3', '4', '0', '1', '2', '3', '4']);
  expect(arrived).toMatchObject({ nextOffset: 10, ...WELL });
});

describe('a batch that no reader can decode', () => {
  const many = Array.from({ length: 1_001 }, (_, i): [string, string] => [`${i}`, '']);
  const manyWithMany = Array(1_001).fill({ headers: headerBytes(many.slice(1)) });
  test.each<[string, BatchFields, RegExp]>([
    ['a bomb of gzip', { ...gzip, records: blanks(MAX_BYTES) }, /more than 33554432 bytes/],
    ['a bomb of zstd', { ...zstd, records: blanks(MAX_BYTES) }, /more than 33554432 bytes/],
    ['cut gzip', { ...gzip, pack: cut(gzip.pack) }, /cut or garbled: unexpected end of file/],
    ['cut zstd', { ...zstd, pack: cut(zstd.pack) }, /cut or garbled: unexpected end of file/],
    ['garbled gzip', { ...gzip, pack: garbled(gzip.pack) }, /cut or garbled/],
    ['garbled zstd', { ...zstd, records: blanks(9_000), pack: garbled(zstd.pack) }, /./],
    ['no gzip at all', { attributes: ATTRIBUTES.gzip }, /cut or garbled/],
    ['no snappy at all', { attributes: ATTRIBUTES.snappy }, /snappy|cut or garbled/],
    ['no LZ4 at all', { attributes: ATTRIBUTES.lz4 }, /no LZ4 frame/],
    [
      'nothing where LZ4 should be',
      { attributes: ATTRIBUTES.lz4, pack: () => Buffer.alloc(0) },
      /cut or garbled/,
    ],
    ['a codec of another time', { attributes: 5 }, /nothing here knows codec 5/],
    ['records without end', { lastOffsetDelta: MAX_RECORDS, recordCount: MAX_RECORDS + 1 }, /100001 records/],
    ['headers without end', { records: [{ headers: many }] }, /1001 headers/],
    ['headers without end, in many records', { records: manyWithMany }, /more than 1000000 headers/],
    ['records that are not numbered in turn', { records: [{}, { offsetDelta: 0 }] }, /numbered otherwise/],
    ['fewer records than it says', { lastOffsetDelta: 1, recordCount: 2 }, /cut short/],
    ['more than it says', { pack: (body) => Buffer.concat([body, Buffer.of(0)]) }, /after its last record/],
    ['a record that is longer than all of it', { pack: () => varint(1_000_000) }, /a record is cut short/],
    ['a number without end', { pack: () => Buffer.alloc(40, 0xff) }, /a number has no end/],
  ])('is handed over unchanged, at the position of its records: %s', async (_, fields, reason) => {
    const bad = writeBatch({ baseOffset: 2, ...fields });
    const lastOffset = 2 + bad.readInt32BE(23);
    const batches = [batch(0, 2), bad, batch(lastOffset + 1, 2)];
    const arrived = await toRecords(0, fetched(batches));
    expect(offsetsOf(arrived)).toEqual([0, 1, 2]);
    expect(arrived).toMatchObject({ nextOffset: lastOffset + 1, ...WELL });
    const [, , record] = arrived.records;
    expect(record).toMatchObject({
      position: { topic: 't', partition: 0, offset: 2 },
      key: null,
      headers: {},
      appendedAtMs: LOG_TIME,
      unreadable: { lastOffset, reason: expect.stringMatching(reason) },
    });
    expect(Buffer.from(record?.value ?? []).equals(bad)).toBe(true);
    // The next fetch reads the records after the bad batch.
    expect(offsetsOf(await toRecords(lastOffset + 1, fetched(batches)))).toEqual([
      lastOffset + 1,
      lastOffset + 2,
    ]);
  });

  test('replaces only the records that were not handed over yet', async () => {
    const bad = batch(2, 4, { ...gzip, pack: cut(gzip.pack) });
    const [record] = (await toRecords(4, fetched([bad]))).records;
    expect(record).toMatchObject({ position: { offset: 4 }, unreadable: { lastOffset: 5 } });
  });

  test('is dropped if its transaction was aborted', async () => {
    const attributes = gzip.attributes | ATTRIBUTES.transactional;
    const bad = batch(0, 2, { attributes, producerId: 7n, pack: cut(gzip.pack) });
    const abortedTransactions = [{ producerId: 7n, firstOffset: 0 }];
    const arrived = await toRecords(0, fetched([bad], { abortedTransactions }));
    expect(arrived).toMatchObject({ records: [], nextOffset: 2, ...WELL });
  });
});

describe('ends before a batch that was damaged after the producer sent it', () => {
  const flipped = (bytes: Buffer, at: number) => {
    const copy = Buffer.from(bytes);
    copy[at] = (copy[at] ?? 0) ^ 0x55;
    return copy;
  };
  const packed = batch(2, 2, gzip);
  test.each([
    ['its bytes are not those that were sent', flipped(packed, packed.length - 6), /checksum/],
    ['it is of no version that there is', flipped(packed, 16), /version/],
    [
      'it is shorter than its header',
      Buffer.concat([packed.subarray(0, 8), Buffer.alloc(60)]),
      /has 12 bytes/,
    ],
  ])('%s', async (_, bad, reason) => {
    const arrived = await toRecords(0, fetched([batch(0, 2), bad, batch(4, 2)]));
    expect(offsetsOf(arrived)).toEqual([0, 1]);
    expect(arrived).toMatchObject({ nextOffset: 2, missing: null });
    expect(arrived.damaged?.cause).toMatchObject({ message: expect.stringMatching(reason) });
  });
});

test('leaves later batches to the next fetch if a batch decompresses to a very large size', async () => {
  // Gives each copy of the batch its own base offset. The checksum stays correct, because it does not cover the base
  // offset.
  const inTurn = (bytes: Buffer, count: number) =>
    [0, 1, 2, 3].map((turn) => {
      const copy = Buffer.from(bytes);
      copy.writeBigInt64BE(BigInt(turn * count));
      return copy;
    });
  const large = inTurn(writeBatch({ ...gzip, records: blanks(MAX_BYTES / 2) }), 1);
  expect(await toRecords(0, fetched(large))).toMatchObject({ nextOffset: 2, ...WELL });
  const numerous = inTurn(batch(0, MAX_RECORDS / 2, gzip), MAX_RECORDS / 2);
  expect(await toRecords(0, fetched(numerous))).toMatchObject({ nextOffset: MAX_RECORDS, ...WELL });
});
