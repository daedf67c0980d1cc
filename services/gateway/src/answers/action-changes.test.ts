import { expect, test } from 'vitest';
import { ActionChanges } from './action-changes.ts';

const NOT_GONE = new AbortController().signal;

test('wakes each request that waits for a change of this action, and no other', async () => {
  const changes = new ActionChanges();
  const [one, two, other] = ['a', 'a', 'b'].map((id) => changes.listen('acme', id));
  const elsewhere = changes.listen('globex', 'a');
  const waiting = [one, two].map((listening) => listening?.next(60_000, NOT_GONE));
  changes.tell('acme', 'a');
  expect(await Promise.all(waiting)).toEqual([true, true]);
  expect(await other?.next(0, NOT_GONE)).toBe(false);
  expect(await elsewhere.next(0, NOT_GONE)).toBe(false);
});

test('reports each change once, and misses no change that comes between two calls of next', async () => {
  const changes = new ActionChanges();
  const listening = changes.listen('acme', 'a');
  changes.tell('acme', 'a');
  expect(await listening.next(60_000, NOT_GONE)).toBe(true);
  expect(await listening.next(0, NOT_GONE)).toBe(false);
});

test('ends after the wait, when the caller leaves, and when everything closes', async () => {
  const changes = new ActionChanges();
  expect(await changes.listen('acme', 'a').next(1, NOT_GONE)).toBe(false);
  const gone = new AbortController();
  const leaving = changes.listen('acme', 'a').next(60_000, gone.signal);
  gone.abort();
  expect(await leaving).toBe(false);
  const staying = changes.listen('acme', 'a').next(60_000, NOT_GONE);
  changes.close();
  expect(await staying).toBe(false);
  expect(await changes.listen('acme', 'a').next(60_000, NOT_GONE)).toBe(false);
});

test('wakes no request that has stopped listening', async () => {
  const changes = new ActionChanges();
  const listening = changes.listen('acme', 'a');
  listening.stop();
  changes.tell('acme', 'a');
  expect(await listening.next(0, NOT_GONE)).toBe(false);
});
