import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addToSlidingSum,
  amountAt,
  createSlidingSum,
  type SlidingSum,
  slidingBuckets,
  slidingSum,
  waitForRoom,
} from './sliding-sum.ts';

const WINDOW_MS = 20;

/** The window is so short that each bucket is a millisecond wide. */
type Change = { passMs: number; agoMs: number; deltaMicros: number };

const changes: fc.Arbitrary<Change[]> = fc.array(
  fc.record({
    passMs: fc.constantFrom(0, 0, 1, 2, 5, 13, 20),
    agoMs: fc.constantFrom(0, 0, 0, 1, 4, 19, 21),
    deltaMicros: fc.integer({ min: -60, max: 60 }),
  }),
  { minLength: 1, maxLength: 40 },
);

/** Adds amounts from the first millisecond to the last. The sum never falls below zero. */
function naiveSum(amounts: ReadonlyMap<number, number>, nowMs: number): number {
  let running = 0;
  for (let atMs = nowMs - WINDOW_MS + 1; atMs <= nowMs; atMs += 1) {
    running = Math.max(0, running + (amounts.get(atMs) ?? 0));
  }
  return running;
}

function play(changed: readonly Change[], look: (told: Told) => void): void {
  const sum = createSlidingSum(WINDOW_MS);
  const amounts = new Map<number, number>();
  let nowMs = 1_000;
  for (const { passMs, agoMs, deltaMicros } of changed) {
    nowMs += passMs;
    const atMs = nowMs - agoMs;
    addToSlidingSum(sum, atMs, deltaMicros, nowMs);
    amounts.set(atMs, (amounts.get(atMs) ?? 0) + deltaMicros);
    look({ sum, amounts, nowMs, atMs });
  }
}

type Told = { sum: SlidingSum; amounts: ReadonlyMap<number, number>; nowMs: number; atMs: number };

test('the sum equals a scan from the oldest bucket to the newest, after any change and as time passes', () => {
  fc.assert(
    fc.property(changes, (changed) => {
      play(changed, ({ sum, amounts, nowMs, atMs }) => {
        expect(slidingSum(sum, nowMs)).toBe(naiveSum(amounts, nowMs));
        if (nowMs - atMs < WINDOW_MS) expect(amountAt(sum, atMs)).toBe(amounts.get(atMs));
        const later = structuredClone(sum);
        for (let ms = 1; ms <= WINDOW_MS; ms += 1) {
          expect(slidingSum(later, nowMs + ms)).toBe(naiveSum(amounts, nowMs + ms));
        }
      });
    }),
  );
});

test('the wait is the shortest time after which the scan finds enough room', () => {
  fc.assert(
    fc.property(changes, fc.nat({ max: 90 }), (changed, roomMicros) => {
      play(changed, ({ sum, amounts, nowMs }) => {
        let waitMs = 0;
        while (naiveSum(amounts, nowMs + waitMs) > roomMicros) waitMs += 1;
        expect(waitForRoom(sum, roomMicros, nowMs)).toBe(waitMs);
      });
    }),
  );
});

test('restores the same sum from its buckets, in any order', () => {
  fc.assert(
    fc.property(changes, fc.boolean(), (changed, backwards) => {
      play(changed, ({ sum, nowMs }) => {
        const again = createSlidingSum(WINDOW_MS);
        const buckets = slidingBuckets(sum, nowMs);
        for (const [bucket, micros] of backwards ? buckets.reverse() : buckets) {
          addToSlidingSum(again, bucket, micros, nowMs);
        }
        expect(slidingSum(again, nowMs)).toBe(slidingSum(sum, nowMs));
        expect(slidingBuckets(again, nowMs)).toEqual(slidingBuckets(sum, nowMs));
      });
    }),
  );
});
