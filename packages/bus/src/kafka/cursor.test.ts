import { expect, test } from 'vitest';
import { BATCH_BYTES } from '../batch-bytes.ts';
import type { LogRecord } from '../port.ts';
import { Cursor } from './cursor.ts';

const record = (offset: number, fields: Partial<LogRecord> = {}): LogRecord => ({
  position: { topic: 't', partition: 0, offset },
  key: null,
  value: new Uint8Array(),
  headers: {},
  appendedAtMs: 0,
  ...fields,
});
const batch = (offset: number, lastOffset: number) =>
  record(offset, { unreadable: { lastOffset, reason: 'it is garbled' } });
const offsetsOf = (records: readonly LogRecord[]) => records.map(({ position }) => position.offset);

function cursorOn(records: LogRecord[], nextOffset: number): Cursor {
  const cursor = new Cursor({ topic: 't', partition: 0, offset: 0 }, () => {});
  cursor.arrive({ records, nextOffset, missing: null, damaged: null }, nextOffset);
  return cursor;
}

test('hands over records up to the byte limit of one batch, even if more records are requested', () => {
  const heavy = { value: new Uint8Array(BATCH_BYTES / 2) };
  const cursor = cursorOn([record(0, heavy), record(1, heavy), record(2, heavy), record(3)], 4);
  expect(offsetsOf(cursor.peek(10))).toEqual([0, 1]);
  cursor.moveTo(2);
  expect(offsetsOf(cursor.peek(10))).toEqual([2, 3]);
});

test('throws when an unreadable batch is next, if the caller does not accept unreadable batches', () => {
  const cursor = cursorOn([record(0), record(1), batch(2, 4), record(5)], 6);
  expect(offsetsOf(cursor.peek(10))).toEqual([0, 1]);
  cursor.moveTo(2);
  const failure = {
    code: 'BUS_UNREADABLE',
    message: 'the batch at offset 2 of t/0 cannot be read: it is garbled',
  };
  expect(() => cursor.peek(10)).toThrow(expect.objectContaining(failure));
  expect(() => cursor.peek(10, {})).toThrow(expect.objectContaining(failure));
  expect(cursor.position).toBe(2);
});

test('returns an unreadable batch in place of its records to a caller that accepts such batches, and continues after it', () => {
  const cursor = cursorOn([record(0), batch(1, 4), record(5), record(7)], 8);
  const takesUnreadable = true;
  expect(offsetsOf(cursor.peek(10, { takesUnreadable }))).toEqual([0, 1, 5]);
  expect(offsetsOf(cursor.peek(2, { takesUnreadable }))).toEqual([0, 1]);
  cursor.moveTo(5);
  expect(cursor.position).toBe(5);
  expect(offsetsOf(cursor.peek(10, { takesUnreadable }))).toEqual([5]);
});
