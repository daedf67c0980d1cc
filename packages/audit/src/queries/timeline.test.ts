/** Tests buckets in time zones: short, long and skipped days, and the compact form for a question. */
import { runs } from '@mandate/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { INTERVALS, isTimeZone, type Timeline, timeline } from './timeline.ts';

const HOUR_MS = 3_600_000;

/**
 * Returns the start of each bucket, and its length in hours. The last bucket has no length here, because its end is
 * not one of the starts.
 */
function cut(from: string, to: string, interval: (typeof INTERVALS)[number], timeZone: string) {
  const line = timeline({ fromMs: Date.parse(from), toMs: Date.parse(to) }, interval, timeZone, 10_000);
  const starts = line?.starts ?? [];
  return {
    starts: starts.map((startMs) => new Date(startMs).toISOString()),
    hours: starts.slice(1).map((startMs, at) => (startMs - (starts[at] ?? 0)) / HOUR_MS),
    runs: line?.runs.length,
  };
}

/**
 * Computes the start of a bucket as the SQL does: from the start of the run that contains the moment, in whole steps.
 */
function startOf(atMs: number, { runs }: Timeline): number {
  const { startMs, stepMs } = runs.findLast((run) => run.startMs <= atMs) ?? { startMs: 0, stepMs: 1 };
  return startMs + Math.floor((atMs - startMs) / stepMs) * stepMs;
}

describe('buckets on the clock of Berlin', () => {
  test('a day has its real length: 23 hours in March, 25 in October', () => {
    expect(cut('2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z', '1d', 'Europe/Berlin')).toEqual({
      starts: ['2026-03-27T23:00:00.000Z', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
      hours: [24, 23],
      runs: 3,
    });
    expect(cut('2026-10-24T12:00:00Z', '2026-10-26T12:00:00Z', '1d', 'Europe/Berlin').hours).toEqual([
      24, 25,
    ]);
  });

  test('a day in October has 25 buckets of an hour', () => {
    const { starts, runs } = cut('2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z', '1h', 'Europe/Berlin');
    expect([starts.length, runs]).toEqual([25, 1]);
  });

  test('a quarter of a day ends at 0:00, 6:00, 12:00 or 18:00 of the clock', () => {
    expect(cut('2026-10-24T22:00:00Z', '2026-10-26T00:00:00Z', '6h', 'Europe/Berlin').hours).toEqual([
      7, 6, 6, 6,
    ]);
  });

  test('a week begins on Monday at midnight, and a month on its first day', () => {
    expect(cut('2026-03-25T00:00:00Z', '2026-03-31T00:00:00Z', '1w', 'Europe/Berlin').starts).toEqual([
      '2026-03-22T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ]);
    expect(cut('2025-12-31T23:00:00Z', '2026-04-01T00:00:00Z', '1mo', 'Europe/Berlin').starts).toEqual([
      '2025-12-31T23:00:00.000Z',
      '2026-01-31T23:00:00.000Z',
      '2026-02-28T23:00:00.000Z',
      '2026-03-31T22:00:00.000Z',
    ]);
  });

  test('the days of a year form five runs', () => {
    expect(cut('2025-12-31T23:00:00Z', '2026-12-31T23:00:00Z', '1d', 'Europe/Berlin').runs).toBe(5);
  });
});

test('begins a day after midnight if the clock skips midnight', () => {
  expect(cut('2026-09-05T12:00:00Z', '2026-09-06T12:00:00Z', '1d', 'America/Santiago').starts).toEqual([
    '2026-09-05T04:00:00.000Z',
    '2026-09-06T04:00:00.000Z',
  ]);
});

test('begins a day at the first midnight if midnight comes twice', () => {
  expect(cut('2025-11-02T04:30:00Z', '2025-11-02T05:30:00Z', '1d', 'America/Havana').starts).toEqual([
    '2025-11-02T04:00:00.000Z',
  ]);
});

test('makes no bucket for a day that the clock skips', () => {
  const { starts, hours } = cut('2011-12-29T12:00:00Z', '2011-12-31T12:00:00Z', '1d', 'Pacific/Apia');
  expect([starts.length, hours]).toEqual([3, [24, 24]]);
});

test('shortens the last hour of a day if the clock goes back by half an hour', () => {
  const { hours } = cut('2026-04-04T13:00:00Z', '2026-04-05T14:00:00Z', '1h', 'Australia/Lord_Howe');
  expect(hours.filter((hours) => hours !== 1)).toEqual([0.5]);
});

test('returns at least one bucket, and null if the period has more buckets than the limit', () => {
  const at = { fromMs: 5, toMs: 5 };
  expect(timeline(at, '1h', 'UTC', 1)).toEqual({ starts: [0], runs: [{ startMs: 0, stepMs: HOUR_MS }] });
  const day = { fromMs: 0, toMs: 24 * HOUR_MS };
  expect(timeline(day, '1h', 'UTC', 24)?.starts).toHaveLength(24);
  expect(timeline(day, '1h', 'UTC', 23)).toBeNull();
});

test('covers the period without gaps, with equal runs and starts, in every time zone', () => {
  const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
  const moment = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2040, 0) });
  fc.assert(
    fc.property(
      moment,
      fc.integer({ min: 1, max: 40 * 24 * HOUR_MS }),
      fc.constantFrom(...INTERVALS),
      zone,
      (fromMs, lengthMs, interval, timeZone) => {
        const toMs = fromMs + lengthMs;
        const line = timeline({ fromMs, toMs }, interval, timeZone, 200);
        if (line === null) return;
        const { starts } = line;
        expect(starts[0]).toBeLessThanOrEqual(fromMs);
        expect(starts.slice(1).every((startMs) => startMs > fromMs && startMs < toMs)).toBe(true);
        for (const [at, startMs] of starts.entries()) {
          const last = (starts[at + 1] ?? toMs) - 1;
          expect([startOf(startMs, line), startOf(last, line)]).toEqual([startMs, startMs]);
        }
      },
    ),
    { numRuns: runs(300) },
  );
});

test('accepts only time zones that Intl knows by name', () => {
  expect(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires'].map(isTimeZone)).toEqual([
    true,
    true,
    true,
  ]);
  expect(['', 'Berlin', '+02:00', "UTC'", 'Europe/Berlin; DROP'].map(isTimeZone)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});
