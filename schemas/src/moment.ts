/**
 * Reads times that people and programs write, strictly by RFC 3339. `Date.parse` alone would read February 30 as
 * March 2. It would also read a time without an offset in the time zone of the machine.
 */

/** The last time that RFC 3339 can write: 9999-12-31T23:59:59.999Z. */
const LAST_MS = 253_402_300_799_999;
/** The last time that ClickHouse's DateTime64 can store: the end of 2261. */
export const END_OF_TIME_MS = Date.UTC(2262, 0, 1) - 1;

const EXAMPLE = '2026-01-31T12:00:00Z';

const TIME = /^(.{10})T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(Z|[+-](\d{2}):(\d{2}))?$/;
const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
/** Matches a time span before now: `15m`, `2h`, `7d`, `4w`. */
export const AGO = /^\d{1,6}[smhdw]$/;
const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Returns why a text is not a time, in words that follow the field's name. Null if the text is a time. */
export function timeFault(text: string): string | null {
  const [whole, day = '', hour, minute, second, offset, offsetHours = '00', offsetMinutes = '00'] =
    TIME.exec(text) ?? [];
  if (whole === undefined || !DAY.test(day)) return `must be an RFC 3339 time, as in ${EXAMPLE}`;
  const fault = dayFault(day);
  if (fault !== null) return fault;
  if (Number(hour) > 23) return `has no hour ${hour}: the last is 23, and a day ends at 00:00 of the next`;
  if (Number(minute) > 59) return `has no minute ${minute}: the last is 59`;
  if (second === undefined) return `must have seconds, as in ${EXAMPLE}`;
  if (second === '60')
    return 'is a leap second, which Mandate does not count: write the second before or after it';
  if (Number(second) > 59) return `has no second ${second}: the last is 59`;
  if (offset === undefined) return 'must have an offset: Z for UTC, or one such as +02:00';
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return `has no offset ${offset}`;
  const atMs = Date.parse(text);
  return atMs >= 0 && atMs <= LAST_MS ? null : 'must be in the years 1970 to 9999';
}

/**
 * Returns why a text is not a day such as `2026-01-31`, in words that follow the field's name. Null if the text is a
 * day.
 */
export function dayFault(text: string): string | null {
  const [, year, month, day] = DAY.exec(text) ?? [];
  if (year === undefined) return 'must be a day, as in 2026-01-31';
  const days = new Date(Date.UTC(2_000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
  if (Number(month) < 1 || Number(month) > 12) return `has no month ${month}: the last is 12`;
  if (Number(day) < 1 || Number(day) > days)
    return `has no day ${day}: the last day of ${year}-${month} is ${days}`;
  return null;
}

export type Moment = { atMs: number } | { fault: string };

/** Reads a time, a day (its beginning in UTC), or a time span before now: `15m`, `2h`, `7d`, `4w`. */
export function readMoment(text: string, nowMs: number): Moment {
  if (AGO.test(text)) return inRange(nowMs - Number(text.slice(0, -1)) * (UNITS_MS[text.slice(-1)] ?? 0));
  if (!/^\d{4}-/.test(text)) return { fault: FORMS };
  const fault = text.includes('T') ? timeFault(text) : dayFault(text);
  return fault === null ? inRange(Date.parse(text)) : { fault };
}

const FORMS = `must be a time (${EXAMPLE}), a day (2026-01-31) or how long ago (15m, 2h, 7d, 4w)`;

function inRange(atMs: number): Moment {
  return atMs >= 0 && atMs <= LAST_MS ? { atMs } : { fault: 'must be in the years 1970 to 9999' };
}

const DAY_MS = 86_400_000;
/** The number of the day that was written last. Day 0 is 1970-01-01. */
let lastDay = Number.NaN;
/** This day on the wire, as in `2026-01-31T`. */
let lastDayText = '';

/**
 * Writes epoch milliseconds as a time on the wire, as `Date.toISOString` does. A decision has several times, and most
 * times are of the same day. So the text of the last day is kept. `toISOString` takes six times as long.
 */
export function wireTime(atMs: number): string {
  if (!Number.isInteger(atMs) || atMs < 0 || atMs > LAST_MS) return new Date(atMs).toISOString();
  const day = Math.floor(atMs / DAY_MS);
  const ms = atMs - day * DAY_MS;
  if (day !== lastDay) {
    lastDayText = new Date(atMs).toISOString().slice(0, -'00:00:00.000Z'.length);
    lastDay = day;
  }
  const seconds = Math.floor(ms / 1_000);
  const [hour, minute, second] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${lastDayText}${twoDigits(hour)}:${twoDigits(minute)}:${twoDigits(second)}.${String(ms % 1_000).padStart(3, '0')}Z`;
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}
