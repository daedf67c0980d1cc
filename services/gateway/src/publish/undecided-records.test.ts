import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { UndecidedRecords } from './undecided-records.ts';

const holder = (tenant: string, key = 'key') => ({ tenant, key: `${tenant}/${key}` });
const forever = { waitMs: 0, gone: () => new AbortController().signal };
/** Runs all work that can run now. Returns whether the promise has then resolved. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  let done = false;
  promise.then(
    () => {
      done = true;
    },
    () => {},
  );
  await vi.advanceTimersByTimeAsync(0);
  return done;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Makes the class under test: a tenant may have 4 undecided records, and a key 2. */
function undecidedRecords() {
  const records = new UndecidedRecords(4, () => Date.now());
  let next = 0;
  return {
    records,
    /** Publishes `count` records in one request, at the end of partition 0. */
    async publish(of: { tenant: string; key: string }, count = 1): Promise<number> {
      const room = await records.admit(of, count, forever);
      room.published(Array.from({ length: count }, () => ({ partition: 0, offset: next++ })));
      room.release();
      return next - 1;
    },
  };
}

describe('room', () => {
  test('is taken at once until a key has used its share, and again when a record of the key is decided', async () => {
    const { records, publish } = undecidedRecords();
    const acme = holder('acme');
    const first = await publish(acme);
    await publish(acme);
    const third = publish(acme);
    expect([await isDone(third), records.undecided, records.waiting]).toEqual([false, 2, 1]);
    records.decided({ partition: 0, offset: first });
    expect([await isDone(third), records.undecided, records.waiting]).toEqual([true, 2, 0]);
  });

  test('used by one tenant does not delay another tenant', async () => {
    const { publish } = undecidedRecords();
    await publish(holder('acme'), 500);
    expect(await isDone(publish(holder('acme')))).toBe(false);
    expect(await isDone(publish(holder('other')))).toBe(true);
  });

  test('is shared among the keys of a tenant, which take turns', async () => {
    const { records, publish } = undecidedRecords();
    const [one, two, three] = ['one', 'two', 'three'].map((key) => holder('acme', key));
    if (!one || !two || !three) throw new Error();
    await publish(one, 2);
    const last = await publish(two, 2);
    const order: string[] = [];
    const waits = [one, one, three].map((of) => publish(of, 2).then(() => order.push(of.key)));
    records.decided({ partition: 0, offset: last });
    await vi.advanceTimersByTimeAsync(0);
    expect(order).toEqual([one.key, three.key]);
    records.decided({ partition: 0, offset: 1000 });
    await Promise.all(waits);
    expect(order).toEqual([one.key, three.key, one.key]);
  });

  test('is freed by a decision also for all records before the decided record in its partition', async () => {
    const { records } = undecidedRecords();
    const room = await records.admit(holder('acme'), 3, forever);
    room.published([
      { partition: 0, offset: 5 },
      { partition: 0, offset: 6 },
      { partition: 1, offset: 0 },
    ]);
    records.decided({ partition: 0, offset: 6 });
    expect(records.undecided).toBe(1);
    records.decided({ partition: 1, offset: 0 });
    expect(records.undecided).toBe(0);
  });

  test('is not held by a record that was decided before its log position was known', async () => {
    const { records } = undecidedRecords();
    const room = await records.admit(holder('acme'), 1, forever);
    records.decided({ partition: 0, offset: 9 });
    room.published([{ partition: 0, offset: 9 }]);
    expect(records.undecided).toBe(0);
  });

  test('is given back by a request that published nothing', async () => {
    const { records } = undecidedRecords();
    const room = await records.admit(holder('acme'), 2, forever);
    const next = records.admit(holder('acme'), 1, forever);
    expect(await isDone(next)).toBe(false);
    room.release();
    expect(await isDone(next)).toBe(true);
  });
});

describe('a request that waits', () => {
  test('is refused after five seconds without free room, and learns whether the key or the tenant has no room', async () => {
    const { records, publish } = undecidedRecords();
    const [one, two, three] = ['one', 'two', 'three'].map((key) => holder('acme', key));
    if (!one || !two || !three) throw new Error();
    const rooms = await Promise.all([one, one, two, two].map((of) => records.admit(of, 1, forever)));
    const refused = [one, three].map((of) => publish(of).catch((error: unknown) => error));
    await vi.advanceTimersByTimeAsync(5_250);
    const [ofKey, ofTenant] = await Promise.all(refused);
    expect(ofKey).toMatchObject({ status: 429, code: 'TOO_MANY_RECORDS', extension: { of: 'key' } });
    expect(ofTenant).toMatchObject({ status: 429, extension: { of: 'tenant', quota: 'publish.undecided' } });
    expect(records.waiting).toBe(0);
    for (const room of rooms) room.release();
    expect(records.undecided).toBe(0);
  });

  test('waits as long as its caller waits for the decision', async () => {
    const { records } = undecidedRecords();
    const rooms = [await records.admit(holder('acme'), 2, forever)];
    const waiting = records.admit(holder('acme'), 1, { ...forever, waitMs: 30_000 });
    await vi.advanceTimersByTimeAsync(29_000);
    expect([await isDone(waiting), records.waiting]).toEqual([false, 1]);
    for (const room of rooms) room.release();
    expect(await isDone(waiting)).toBe(true);
  });

  test('gets room after five seconds even if nothing is decided', async () => {
    const { publish } = undecidedRecords();
    await publish(holder('acme'), 2);
    await vi.advanceTimersByTimeAsync(4_000);
    const waiting = publish(holder('acme'));
    expect(await isDone(waiting)).toBe(false);
    await vi.advanceTimersByTimeAsync(1_250);
    expect(await isDone(waiting)).toBe(true);
  });

  test('leaves the queue when its caller disconnects', async () => {
    const { records, publish } = undecidedRecords();
    await publish(holder('acme'), 2);
    const gone = new AbortController();
    const waiting = records
      .admit(holder('acme'), 1, { waitMs: 0, gone: () => gone.signal })
      .catch(() => 'refused');
    gone.abort();
    expect([await waiting, records.waiting, vi.getTimerCount()]).toEqual(['refused', 0, 1]);
    await vi.advanceTimersByTimeAsync(250);
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('all room becomes free again and no request waits forever, for any order in which records are published and decided', async () => {
  vi.useRealTimers();
  const published = fc.record({
    tenant: fc.constantFrom('a', 'b'),
    key: fc.constantFrom('1', '2', '3'),
    count: fc.integer({ min: 1, max: 6 }),
    partition: fc.integer({ min: 0, max: 2 }),
    fails: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(published, { maxLength: 40 }), async (requests) => {
      const records = new UndecidedRecords(4);
      const ends = [0, 0, 0];
      const done = requests.map(async ({ tenant, key, count, partition, fails }) => {
        const room = await records.admit(holder(tenant, key), count, forever);
        await null;
        const places = Array.from({ length: fails ? 0 : count }, () => {
          const offset = ends[partition] ?? 0;
          ends[partition] = offset + 1;
          return { partition, offset };
        });
        room.published(places);
        room.release();
      });
      let isOver = false;
      const all = Promise.all(done).then(() => {
        isOver = true;
      });
      while (!isOver) {
        expect(records.undecided).toBeGreaterThanOrEqual(0);
        for (const [partition, end] of ends.entries())
          if (end > 0) records.decided({ partition, offset: end - 1 });
        await new Promise(setImmediate);
      }
      await all;
      for (const partition of [0, 1, 2]) records.decided({ partition, offset: 1000 });
      expect([records.undecided, records.waiting]).toEqual([0, 0]);
    }),
    { numRuns: 50 },
  );
});
