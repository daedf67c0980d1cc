/**
 * Timestamps and durations. Zones are UTC or an offset such as `+02:00`. Names such as `Europe/Berlin` are refused,
 * because their rules differ between machines.
 */
import type { Written } from './operation.ts';
import { type Duration, failure, isA, type Result, type Timestamp, type Value } from './values.ts';
import { COST_OF_TIME, spend } from './work.ts';

const NANOS_OF: Readonly<Record<string, bigint>> = {
  h: 3_600_000_000_000n,
  m: 60_000_000_000n,
  s: 1_000_000_000n,
  ms: 1_000_000n,
  us: 1_000n,
  µs: 1_000n,
  ns: 1n,
};
const SECOND = 1_000_000_000n;
const MILLISECOND = 1_000_000n;
const MOST_DURATION = 2n ** 63n - 1n;
/** 0001-01-01T00:00:00Z, in nanoseconds. */
const FIRST = -62_135_596_800n * SECOND;
/** 9999-12-31T23:59:59.999999999Z. */
const LAST = 253_402_300_800n * SECOND - 1n;

const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;
const OFFSET = /^([+-]?)(\d\d):(\d\d)$/;
/** The maximum number of characters of a duration. */
const LONGEST_DURATION = 128;

export function timestampOf(nanos: bigint): Result {
  const isInRange = nanos >= FIRST && nanos <= LAST;
  return isInRange ? { is: 'timestamp', nanos } : failure('the timestamp is outside of the years 1 to 9999');
}

function durationOf(nanos: bigint): Result {
  const isInRange = nanos <= MOST_DURATION && nanos >= -MOST_DURATION - 1n;
  return isInRange ? { is: 'duration', nanos } : failure('the duration is longer than 292 years');
}

/** Reads RFC 3339. */
export function timestampOfText(text: string): Result {
  const [whole, ...parts] = RFC_3339.exec(text) ?? [];
  if (whole === undefined) return failure('the text is no timestamp, such as 2026-01-31T12:00:00Z');
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(0, 6).map(Number);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const isReal =
    date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
  const [fraction = '', sign = '+', hours = '0', minutes = '0'] = parts.slice(6);
  if (!isReal || Number(hours) > 23 || Number(minutes) > 59)
    return failure('the timestamp names no real time');
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000);
  const millis = BigInt(date.getTime() - offset);
  return timestampOf(millis * MILLISECOND + BigInt(fraction.padEnd(9, '0')));
}

/** Reads durations such as `90s`, `-1.5h` and `2h45m`. */
export function durationOfText(text: string): Result {
  const fault = failure('the text is no duration, such as 90s or 1h30m');
  if (text.length > LONGEST_DURATION) return fault;
  const sign = text.startsWith('-') ? -1n : 1n;
  const unsigned = text.replace(/^[+-]/, '');
  if (unsigned === '0') return durationOf(0n);
  const parts = [...unsigned.matchAll(/(\d*)(?:\.(\d*))?(h|ms|us|µs|ns|m|s)/gy)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== unsigned) return fault;
  let nanos = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of parts) {
    const factor = NANOS_OF[unit];
    if (factor === undefined || whole + fraction === '') return fault;
    nanos += BigInt(whole || 0) * factor;
    nanos += (BigInt(fraction || 0) * factor) / 10n ** BigInt(fraction.length);
  }
  return durationOf(sign * nanos);
}

/** The whole seconds of a time, rounded toward the past for timestamps and toward zero for durations. */
export function secondsOf(time: Timestamp | Duration): bigint {
  const seconds = time.nanos / SECOND;
  return time.is === 'timestamp' && time.nanos % SECOND < 0n ? seconds - 1n : seconds;
}

export function textOfTimestamp(timestamp: Timestamp): string {
  const seconds = secondsOf(timestamp);
  const date = new Date(Number(seconds) * 1_000).toISOString();
  return `${date.slice(0, -'.000Z'.length)}${fractionOf(timestamp.nanos - seconds * SECOND)}Z`;
}

export function textOfDuration({ nanos }: Duration): string {
  const size = nanos < 0n ? -nanos : nanos;
  return `${nanos < 0n ? '-' : ''}${size / SECOND}${fractionOf(size % SECOND)}s`;
}

/** The fraction of a second: three, six or nine digits, or none. */
function fractionOf(nanos: bigint): string {
  if (nanos === 0n) return '';
  return `.${String(nanos)
    .padStart(9, '0')
    .replace(/(?:000){1,2}$/, '')}`;
}

export function addTimes(a: Value, b: Value): Result | undefined {
  if (isA(a, 'duration') && isA(b, 'duration')) return durationOf(a.nanos + b.nanos);
  if (isA(a, 'timestamp') && isA(b, 'duration')) return timestampOf(a.nanos + b.nanos);
  return isA(a, 'duration') && isA(b, 'timestamp') ? timestampOf(a.nanos + b.nanos) : undefined;
}

export function subtractTimes(a: Value, b: Value): Result | undefined {
  if (isA(a, 'duration') && isA(b, 'duration')) return durationOf(a.nanos - b.nanos);
  if (isA(a, 'timestamp') && isA(b, 'timestamp')) return durationOf(a.nanos - b.nanos);
  return isA(a, 'timestamp') && isA(b, 'duration') ? timestampOf(a.nanos - b.nanos) : undefined;
}

/**
 * The methods that return a part of a time. For a timestamp they return a part of the date; for a duration they return
 * the whole duration in this unit.
 */
export const TIME_METHODS: Readonly<Record<string, Written>> = {
  getFullYear: part((date) => date.getUTCFullYear()),
  getMonth: part((date) => date.getUTCMonth()),
  getDate: part((date) => date.getUTCDate()),
  getDayOfMonth: part((date) => date.getUTCDate() - 1),
  getDayOfWeek: part((date) => date.getUTCDay()),
  getDayOfYear: part(dayOfYear),
  getHours: part(
    (date) => date.getUTCHours(),
    (nanos) => nanos / (3_600n * SECOND),
  ),
  getMinutes: part(
    (date) => date.getUTCMinutes(),
    (nanos) => nanos / (60n * SECOND),
  ),
  getSeconds: part(
    (date) => date.getUTCSeconds(),
    (nanos) => nanos / SECOND,
  ),
  getMilliseconds: part(
    (date) => date.getUTCMilliseconds(),
    (nanos) => (nanos % SECOND) / MILLISECOND,
  ),
};

function part(ofDate: (date: Date) => number, ofDuration?: (nanos: bigint) => bigint): Written {
  return {
    arguments: [0, 1],
    run: ([time = null, zone], budget) => {
      spend(budget, COST_OF_TIME);
      if (isA(time, 'duration') && zone === undefined) return ofDuration?.(time.nanos);
      if (!isA(time, 'timestamp')) return undefined;
      const offset = zone === undefined ? 0 : offsetOf(zone);
      if (offset === null) return failure('the zone is not UTC or an offset such as +02:00');
      const millis = secondsOf(time) * 1_000n + (time.nanos - secondsOf(time) * SECOND) / MILLISECOND;
      return BigInt(ofDate(new Date(Number(millis) + offset)));
    },
  };
}

/** In milliseconds. */
function offsetOf(zone: Value): number | null {
  if (zone === 'UTC') return 0;
  const [, sign, hours, minutes] = (typeof zone === 'string' ? OFFSET.exec(zone) : null) ?? [];
  if (hours === undefined) return null;
  return (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000);
}

function dayOfYear(date: Date): number {
  const start = new Date(date);
  start.setUTCMonth(0, 1);
  return Math.round((date.getTime() - start.getTime()) / 86_400_000);
}
