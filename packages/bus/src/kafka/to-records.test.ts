import { expect, test } from 'vitest';
import type { FetchedMessage, FetchedPartition } from './client.ts';
import { toRecords } from './to-records.ts';

const message = (offset: number, fields: Partial<FetchedMessage> = {}): FetchedMessage => ({
  offset: `${offset}`,
  timestamp: '1700000000000',
  key: Buffer.from('k'),
  value: Buffer.from(`${offset}`),
  headers: {},
  isControlRecord: false,
  batchContext: { producerId: '-1', inTransaction: false },
  ...fields,
});
const fetched = (messages: FetchedMessage[], fields: Partial<FetchedPartition> = {}): FetchedPartition => ({
  partition: 0,
  highWatermark: '100',
  abortedTransactions: [],
  messages,
  ...fields,
});
const offsetsOf = (arrived: ReturnType<typeof toRecords>) =>
  arrived.records.map(({ coordinate }) => coordinate.offset);

test('what of a batch lies before the offset that was asked for is not handed over again', () => {
  const arrived = toRecords('t', 6, fetched([4, 5, 6, 7].map((offset) => message(offset))));
  expect(offsetsOf(arrived)).toEqual([6, 7]);
  expect(arrived).toMatchObject({ nextOffset: 8, missing: null });
});

test('offsets that are not there are missing, whether at the start or within', () => {
  expect(toRecords('t', 3, fetched([message(5)]))).toEqual({ records: [], nextOffset: 3, missing: 3 });
  const arrived = toRecords('t', 3, fetched([message(3), message(5)]));
  expect(offsetsOf(arrived)).toEqual([3]);
  expect(arrived).toMatchObject({ nextOffset: 4, missing: 4 });
});

test('what a transaction leaves takes offsets and is not handed over', () => {
  const inTransaction = { batchContext: { producerId: '7', inTransaction: true } };
  const marker = (offset: number) =>
    message(offset, { ...inTransaction, isControlRecord: true, key: Buffer.from([0, 0, 0, 0]) });
  const aborted = [message(1, inTransaction), message(2, inTransaction), marker(3)];
  const arrived = toRecords(
    't',
    0,
    fetched([message(0), ...aborted, message(4)], {
      abortedTransactions: [{ producerId: '7', firstOffset: '1' }],
    }),
  );
  expect(offsetsOf(arrived)).toEqual([0, 4]);
  expect(arrived).toMatchObject({ nextOffset: 5, missing: null });
});

test('no key is null, no value is empty, and of a repeated header the last counts', () => {
  const headers = { a: [Buffer.from('1'), Buffer.from('2')], b: null };
  const [record] = toRecords('t', 0, fetched([message(0, { key: null, value: null, headers })])).records;
  expect(record).toMatchObject({ key: null, headers: { a: '2', b: '' }, appendedAtMs: 1_700_000_000_000 });
  expect(record?.value).toHaveLength(0);
});
