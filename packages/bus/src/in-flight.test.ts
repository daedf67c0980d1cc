import { expect, test, vi } from 'vitest';
import { InFlight } from './in-flight.ts';

test('keeps waiting callers in order, and lets them continue when there is room', async () => {
  const inFlight = new InFlight({ records: 2, bytes: 100, waitMs: 60_000 });
  await inFlight.acquire(2, 10);
  const entered: string[] = [];
  const large = inFlight.acquire(2, 10).then(() => entered.push('large'));
  inFlight.release(1, 5);
  const small = inFlight.acquire(1, 10).then(() => entered.push('small'));
  await Promise.resolve();
  expect(entered, 'the small one does not overtake').toEqual([]);
  inFlight.release(1, 5);
  await large;
  inFlight.release(2, 10);
  await small;
  expect(entered).toEqual(['large', 'small']);
});

test('counts bytes as well as records', async () => {
  const inFlight = new InFlight({ records: 100, bytes: 100, waitMs: 1 });
  await inFlight.acquire(1, 80);
  await expect(inFlight.acquire(1, 30)).rejects.toMatchObject({ code: 'BUS_OVERLOADED', retryable: true });
  await inFlight.acquire(1, 20);
});

test('accepts urgent records even if the limit is reached, and other callers then wait longer', async () => {
  const inFlight = new InFlight({ records: 2, bytes: 100, waitMs: 1 });
  await inFlight.acquire(2, 10);
  const waiting = inFlight.acquire(1, 10);
  await inFlight.acquire(1, 10, true);
  inFlight.release(1, 5);
  await expect(waiting).rejects.toMatchObject({ code: 'BUS_OVERLOADED' });
});

test('accepts an append above the limit if no other append is in flight', async () => {
  const inFlight = new InFlight({ records: 10, bytes: 100, waitMs: 1 });
  await inFlight.acquire(50, 5_000);
  await expect(inFlight.acquire(1, 1)).rejects.toMatchObject({ code: 'BUS_OVERLOADED' });
  inFlight.release(50, 5_000);
  await inFlight.acquire(1, 1);
});

test('lets the next callers continue if a waiting caller gives up', async () => {
  vi.useFakeTimers();
  try {
    const inFlight = new InFlight({ records: 10, bytes: 100, waitMs: 1_000 });
    await inFlight.acquire(8, 0);
    const large = inFlight.acquire(9, 0).catch((error) => error.code);
    vi.advanceTimersByTime(500);
    const small = inFlight.acquire(1, 0).then(() => 'entered');
    vi.advanceTimersByTime(500);
    expect(await Promise.all([large, small])).toEqual(['BUS_OVERLOADED', 'entered']);
  } finally {
    vi.useRealTimers();
  }
});
