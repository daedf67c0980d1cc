import fc from 'fast-check';
import { expect, test } from 'vitest';
import { monthOf, newestFromMs, retentionStartMs } from './months.ts';

const instant = fc.integer({ min: Date.UTC(1970, 0), max: Date.UTC(2261, 0) });
const months = fc.integer({ min: 1, max: 1_200 });

/** Adds months one by one, as a person would on a calendar. Used to check the faster code. */
function monthsAfter(ms: number, count: number): number {
  let [year, month] = [new Date(ms).getUTCFullYear(), new Date(ms).getUTCMonth()];
  for (let n = 0; n < count; n += 1) [year, month] = month === 11 ? [year + 1, 0] : [year, month + 1];
  return Date.UTC(year, month);
}

test('counts a month as past after the given number of whole months has followed it', () => {
  fc.assert(
    fc.property(instant, months, instant, (rowMs, keepMonths, nowMs) => {
      const endedMs = monthsAfter(rowMs, 1);
      const isPast = rowMs < retentionStartMs(keepMonths, nowMs);
      expect(isPast).toBe(nowMs >= monthsAfter(endedMs, keepMonths));
    }),
  );
});

test('keeps a row until the last millisecond before its month is past', () => {
  fc.assert(
    fc.property(instant, months, (rowMs, keepMonths) => {
      const pastFromMs = monthsAfter(rowMs, keepMonths + 1);
      expect(rowMs).toBeLessThan(retentionStartMs(keepMonths, pastFromMs));
      expect(rowMs).toBeGreaterThanOrEqual(retentionStartMs(keepMonths, pastFromMs - 1));
    }),
  );
});

test.each([
  [24, '2028-01-31T23:59:59.999Z', '202601'],
  [24, '2028-02-01T00:00:00.000Z', '202602'],
  [1, '2028-02-29T23:59:59.999Z', '202801'],
  [1, '2026-01-01T00:00:00.000Z', '202512'],
  [1_200, '2026-05-31T12:00:00.000Z', '192605'],
])('keeps %d months at %s, beginning with the expected month', (keepMonths, now, first) => {
  expect(monthOf(retentionStartMs(keepMonths, Date.parse(now)))).toBe(first);
});

test('counts the current month as the first of the newest months', () => {
  expect(monthOf(newestFromMs(1, Date.UTC(2026, 0)))).toBe('202601');
  expect(monthOf(newestFromMs(13, Date.UTC(2026, 0)))).toBe('202501');
});

test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('rejects %j months', (count) => {
  expect(() => retentionStartMs(count, 0)).toThrow(RangeError);
  expect(() => newestFromMs(count, 0)).toThrow(RangeError);
});
