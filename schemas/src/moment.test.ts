import { runs } from '@mandate/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dayFault, readMoment, timeFault, wireTime } from './moment.ts';
import { time } from './scalars.ts';

const NOW_MS = Date.parse('2026-01-31T12:00:00Z');

describe('times', () => {
  test.each([
    ['2026-01-31T12:00:00Z'],
    ['2024-02-29T00:00:00Z'],
    ['2000-02-29T23:59:59.999Z'],
    ['2026-01-01T00:00:00.123456789Z'],
    ['2026-01-01T00:00:00+14:00'],
    ['2026-01-01T00:00:00-00:00'],
    ['1970-01-01T00:00:00Z'],
    ['9999-12-31T23:59:59Z'],
    ['9999-12-31T23:59:59+10:00'],
  ])('%s is read', (text) => {
    expect(timeFault(text)).toBeNull();
    expect(time.safeParse(text).success).toBe(true);
  });

  test.each([
    ['2026-02-30T00:00:00Z', 'has no day 30: the last day of 2026-02 is 28'],
    ['2026-02-29T00:00:00Z', 'has no day 29: the last day of 2026-02 is 28'],
    ['2100-02-29T00:00:00Z', 'has no day 29: the last day of 2100-02 is 28'],
    ['2026-04-31T00:00:00Z', 'has no day 31: the last day of 2026-04 is 30'],
    ['2026-01-00T00:00:00Z', 'has no day 00: the last day of 2026-01 is 31'],
    ['2026-13-01T00:00:00Z', 'has no month 13: the last is 12'],
    ['2026-00-01T00:00:00Z', 'has no month 00: the last is 12'],
    ['2026-01-01T24:00:00Z', 'has no hour 24: the last is 23, and a day ends at 00:00 of the next'],
    ['2026-01-01T12:60:00Z', 'has no minute 60: the last is 59'],
    [
      '2016-12-31T23:59:60Z',
      'is a leap second, which Mandate does not count: write the second before or after it',
    ],
    ['2026-01-01T12:00:61Z', 'has no second 61: the last is 59'],
    ['2026-01-01T12:00Z', 'must have seconds, as in 2026-01-31T12:00:00Z'],
    ['2026-01-01T12:00:00', 'must have an offset: Z for UTC, or one such as +02:00'],
    ['2026-01-01T12:00:00+24:00', 'has no offset +24:00'],
    ['2026-01-01T12:00:00-01:60', 'has no offset -01:60'],
    ['1969-12-31T23:59:59Z', 'must be in the years 1970 to 9999'],
    ['0000-01-01T00:00:00Z', 'must be in the years 1970 to 9999'],
    ['1970-01-01T00:00:00+00:01', 'must be in the years 1970 to 9999'],
    ['9999-12-31T23:59:59-00:01', 'must be in the years 1970 to 9999'],
    ...[
      ...['', '2026', '2026-01-01', '2026-1-1T00:00:00Z', '2026-W01-1', '2026-001', '20260101T000000Z'],
      ...[
        '2026-01-01 12:00:00Z',
        '2026-01-01t12:00:00z',
        '2026-01-01T12:00:00+0200',
        '2026-01-01T12:00:00.Z',
      ],
      ...[
        '+010000-01-01T00:00:00Z',
        ' 2026-01-01T12:00:00Z',
        '2026-01-01T12:00:00Z\n',
        '２026-01-01T12:00:00Z',
      ],
      ...['Sat, 31 Jan 2026 12:00:00 GMT', '1769860800'],
    ].map((text) => [text, 'must be an RFC 3339 time, as in 2026-01-31T12:00:00Z']),
  ])('%j is refused', (text, fault) => {
    expect(timeFault(text as string)).toBe(fault);
    const read = time.safeParse(text);
    expect(read.error?.issues.map(({ message }) => message)).toEqual([fault]);
  });

  test('reads an accepted time exactly', () => {
    const two = fc.integer({ min: 0, max: 99 }).map((number) => String(number).padStart(2, '0'));
    const year = fc.integer({ min: 1968, max: 2101 }).map(String);
    fc.assert(
      fc.property(year, two, two, two, two, two, (...[years, months, days, hours, minutes, seconds]) => {
        const text = `${years}-${months}-${days}T${hours}:${minutes}:${seconds}Z`;
        if (timeFault(text) !== null) return;
        expect(new Date(Date.parse(text)).toISOString()).toBe(text.replace('Z', '.000Z'));
      }),
      { numRuns: runs(5_000) },
    );
  });

  test('every time that Mandate writes can be read again', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (atMs) => {
        expect(timeFault(new Date(atMs).toISOString())).toBeNull();
      }),
    );
  });
});

test.each([
  ['2024-02-29', null],
  ['2026-02-29', 'has no day 29: the last day of 2026-02 is 28'],
  ['2026-1-1', 'must be a day, as in 2026-01-31'],
])('reads the day %s, or refuses it', (text, fault) => expect(dayFault(text)).toBe(fault));

describe('moments', () => {
  test.each([
    ['15m', '2026-01-31T11:45:00.000Z'],
    ['90s', '2026-01-31T11:58:30.000Z'],
    ['2h', '2026-01-31T10:00:00.000Z'],
    ['7d', '2026-01-24T12:00:00.000Z'],
    ['4w', '2026-01-03T12:00:00.000Z'],
    ['0d', '2026-01-31T12:00:00.000Z'],
    ['2026-01-01', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T10:00:00+02:00', '2026-01-01T08:00:00.000Z'],
  ])('%s is read', (text, at) => {
    expect(readMoment(text, NOW_MS)).toEqual({ atMs: Date.parse(at) });
  });

  const FORMS = 'must be a time (2026-01-31T12:00:00Z), a day (2026-01-31) or how long ago (15m, 2h, 7d, 4w)';
  test.each([
    ['2026-02-30', 'has no day 30: the last day of 2026-02 is 28'],
    ['2026-02-30T10:00:00Z', 'has no day 30: the last day of 2026-02 is 28'],
    ['2026-01-01T24:00:00Z', 'has no hour 24: the last is 23, and a day ends at 00:00 of the next'],
    ['2026-01-01T10:00:00', 'must have an offset: Z for UTC, or one such as +02:00'],
    ['999999w', 'must be in the years 1970 to 9999'],
    ['1969-12-31', 'must be in the years 1970 to 9999'],
    ...[
      '',
      'yesterday',
      '5',
      '1500',
      '-7d',
      '1.5h',
      '7D',
      '7 d',
      '1mo',
      '1y',
      '٧d',
      '7d ago',
      '0x10s',
      '1e3s',
    ].map((text) => [text, FORMS]),
    ['2026-01', 'must be a day, as in 2026-01-31'],
  ])('%j is refused', (text, fault) => {
    expect(readMoment(text as string, NOW_MS)).toEqual({ fault });
  });
});

test('writes a time on the wire as Date does, for days in any order', () => {
  const FURTHEST_MS = 8_640_000_000_000_000;
  const anywhere = fc.integer({ min: -FURTHEST_MS, max: FURTHEST_MS });
  const wire = fc.integer({ min: 0, max: Date.parse('9999-12-31T23:59:59.999Z') });
  const near = fc.integer({ min: -200_000_000, max: 200_000_000 });
  const fraction = fc.double({ min: 0, max: 1e12, noNaN: true });
  fc.assert(
    fc.property(fc.array(fc.oneof(anywhere, wire, near, fraction)), (times) => {
      for (const atMs of times) expect(wireTime(atMs)).toBe(new Date(atMs).toISOString());
    }),
    { numRuns: runs(1_000) },
  );
  wireTime(FURTHEST_MS);
  for (const wrong of [Number.NaN, FURTHEST_MS + 1, -FURTHEST_MS - 1, Number.POSITIVE_INFINITY]) {
    expect(() => wireTime(wrong)).toThrow(RangeError);
  }
});
