import type { Throughput } from '@mandate/schemas';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Bucket } from './bucket.ts';

const DAY_MS = 86_400_000;
const of = (limit: Partial<Throughput>): Throughput => ({
  perSecond: 10,
  burst: 100,
  perDay: null,
  ...limit,
});

/** Takes single units at this moment. Returns how many units the bucket allowed. */
function takenAt(bucket: Bucket, limit: Throughput, nowMs: number): number {
  for (let taken = 0; ; taken += 1) {
    if (bucket.waitMs(1, limit, nowMs) > 0) return taken;
    bucket.take(1, limit, nowMs);
  }
}

describe('a bucket', () => {
  test('allows the burst at once, and then the rate per second', () => {
    const bucket = new Bucket();
    expect(takenAt(bucket, of({}), 5_000)).toBe(100);
    expect(takenAt(bucket, of({}), 5_099)).toBe(0);
    expect(takenAt(bucket, of({}), 5_100)).toBe(1);
    expect(takenAt(bucket, of({}), 6_100)).toBe(10);
    expect(takenAt(bucket, of({}), 3_600_000)).toBe(100);
  });

  test('reports a wait that is long enough if a unit takes a fraction of a millisecond', () => {
    const bucket = new Bucket();
    takenAt(bucket, of({ perSecond: 3 }), 0);
    expect(bucket.waitMs(1, of({ perSecond: 3 }), 0)).toBe(334);
  });

  test('allows more than its burst at once if the bucket is full, and then requires a longer wait', () => {
    const bucket = new Bucket();
    bucket.take(1, of({}), 0);
    expect(bucket.waitMs(250, of({}), 0)).toBe(100);
    bucket.take(250, of({}), 100);
    expect(bucket.waitMs(1, of({}), 100)).toBe(15_100);
  });

  test('allows a limited number of units per UTC day', () => {
    const bucket = new Bucket();
    const limit = of({ perDay: 30 });
    expect(takenAt(bucket, limit, 3 * DAY_MS - 10_000)).toBe(30);
    expect(bucket.waitMs(1, limit, 3 * DAY_MS - 10_000)).toBe(10_000);
    expect(takenAt(bucket, limit, 3 * DAY_MS)).toBe(30);
    expect(bucket.waitMs(1, limit, 3 * DAY_MS)).toBe(DAY_MS);
  });

  test.each([{ burst: 0, perSecond: 0 }, { burst: 0 }, { perDay: 0 }])(
    'never allows anything with the limit %j',
    (limit) => {
      expect(new Bucket().waitMs(1, of(limit), 0)).toBe(Number.POSITIVE_INFINITY);
    },
  );

  test('allows its burst once if the rate is zero per second', () => {
    const bucket = new Bucket();
    expect(takenAt(bucket, of({ perSecond: 0 }), 0)).toBe(100);
    expect(bucket.waitMs(1, of({ perSecond: 0 }), DAY_MS)).toBe(Number.POSITIVE_INFINITY);
  });

  test('continues from the earlier time after the clock was set back', () => {
    const bucket = new Bucket();
    takenAt(bucket, of({}), 1_000_000);
    expect(bucket.waitMs(1, of({}), 500_000)).toBe(100);
    expect(takenAt(bucket, of({}), 500_100)).toBe(1);
  });

  test('never takes more units than it has, if it takes units without a check', () => {
    const bucket = new Bucket();
    bucket.takeWhatThereIs(40, of({}), 0);
    expect(takenAt(bucket, of({}), 0)).toBe(60);
    bucket.takeWhatThereIs(5_000, of({}), 0);
    expect(bucket.waitMs(1, of({}), 0)).toBe(100);
  });

  test('counts as unused when it is full again and its day is over', () => {
    const bucket = new Bucket();
    bucket.take(1, of({}), 0);
    expect([99, 100].map((ms) => bucket.isUntouched(of({}), ms))).toEqual([false, true]);
    expect([100, DAY_MS].map((ms) => bucket.isUntouched(of({ perDay: 5 }), ms))).toEqual([false, true]);
  });
});

test('reports an exact wait, and never allows more than the limit', () => {
  const some = fc.record({
    units: fc.integer({ min: 1, max: 300 }),
    pauseMs: fc.integer({ min: 0, max: 5_000 }),
  });
  const limits = fc.record({
    perSecond: fc.integer({ min: 1, max: 50 }),
    burst: fc.integer({ min: 1, max: 200 }),
    perDay: fc.option(fc.integer({ min: 1, max: 1_000 })),
  });
  fc.assert(
    fc.property(limits, fc.array(some, { maxLength: 40 }), (limit, asked) => {
      const bucket = new Bucket();
      let nowMs = 2 * DAY_MS - 40_000;
      const beganMs = nowMs;
      let taken = 0;
      let largest = 0;
      for (const { units, pauseMs } of asked) {
        nowMs += pauseMs;
        const waitMs = bucket.waitMs(units, limit, nowMs);
        if (waitMs > 0) expect(bucket.waitMs(units, limit, nowMs + waitMs - 1)).toBe(1);
        expect(bucket.waitMs(units, limit, nowMs + waitMs)).toBe(0);
        if (waitMs > 60_000) continue;
        nowMs += waitMs;
        bucket.take(units, limit, nowMs);
        taken += units;
        largest = Math.max(largest, units);
        const most = Math.max(limit.burst, largest) + ((nowMs - beganMs) * limit.perSecond) / 1_000;
        expect(taken).toBeLessThanOrEqual(most + limit.burst);
      }
    }),
  );
});
