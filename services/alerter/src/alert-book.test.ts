import type { AlertsRecord } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { AlertBook } from './alert-book.ts';

const at = '2026-01-05T09:30:00.000Z';
const raised = (id: string, webhooks: string[], quiet = false): AlertsRecord => ({
  event: 'alert.raised',
  alert: {
    id,
    rule: 'kill',
    tenant: null,
    subject: id,
    episode: 1,
    message: '',
    facts: {},
    at,
    order: 0,
    record: null,
    webhooks,
    quiet,
  },
});
const delivered = (alertId: string, webhook: string): AlertsRecord => ({
  event: 'alert.delivered',
  delivery: { alertId, webhook, attempts: 1, status: 200, at },
});
const undelivered = (alertId: string, webhook: string): AlertsRecord => ({
  event: 'alert.undelivered',
  delivery: { alertId, webhook, attempts: 3, reason: 'it answered 500', at },
});
const replayed = (alertId: string, webhooks: string[]): AlertsRecord => ({
  event: 'alert.replayed',
  replay: { alertId, webhooks, by: 'me', at },
});

function bookOf(records: readonly AlertsRecord[], kept?: number) {
  const book = new AlertBook(kept);
  records.forEach((record, offset) => {
    book.apply(record, { offset, at });
  });
  const ids = (entries: Iterable<{ alert: { id: string } }>) => [...entries].map(({ alert }) => alert.id);
  const stateOf = (id: string, webhook: string) => book.get(id)?.deliveries.get(webhook)?.state;
  return { book, waiting: ids(book.waiting()), newest: ids(book.newestFirst()), stateOf };
}

test('an alert waits until every webhook has received the alert or the delivery is given up', () => {
  const history = [raised('a', ['x', 'y']), delivered('a', 'x')];
  expect(bookOf(history).waiting).toEqual(['a']);
  const { waiting, stateOf } = bookOf([...history, undelivered('a', 'y')]);
  expect([waiting, stateOf('a', 'x'), stateOf('a', 'y')]).toEqual([[], 'delivered', 'undelivered']);
});

test('after a replay, an undelivered alert waits for its delivery again', () => {
  const { waiting, stateOf } = bookOf([
    raised('a', ['x']),
    undelivered('a', 'x'),
    replayed('a', ['x', 'new']),
  ]);
  expect([waiting, stateOf('a', 'x'), stateOf('a', 'new')]).toEqual([['a'], 'waiting', 'waiting']);
});

test('an alert raised twice is listed once, and a later failure does not undo a delivery', () => {
  const { newest, stateOf } = bookOf([
    raised('a', ['x']),
    delivered('a', 'x'),
    raised('a', ['x']),
    undelivered('a', 'x'),
  ]);
  expect([newest, stateOf('a', 'x')]).toEqual([['a'], 'delivered']);
});

test('the book does not contain quiet alerts', () => {
  expect(bookOf([raised('a', [], true)]).newest).toEqual([]);
});

test('the book keeps the newest alerts, and also every older alert that still waits for a delivery', () => {
  const { newest, waiting } = bookOf(
    [raised('a', ['x']), raised('b', []), raised('c', []), raised('d', [])],
    2,
  );
  expect([newest, waiting]).toEqual([['d', 'c', 'a'], ['a']]);
});
