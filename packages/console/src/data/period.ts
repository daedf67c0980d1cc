/** Periods in the form that the routes accept: `7d` until now, or times. */
import { clockTime, dayOf, zone } from './time.ts';

const AGO = /^(\d{1,6})([mhdw])$/;

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

export type Period = { fromMs: number; toMs: number };

/**
 * Returns the beginning and the end of the period as times. So several requests for one page have exactly the same
 * period.
 *
 * @param from how long before now, such as `7d`, or a time
 * @param to a time. Absent: now
 * @param nowMs the time of the plane
 */
export function periodOf(from: string, to: string | undefined, nowMs: number): Period | null {
  const ago = AGO.exec(from);
  const fromMs =
    ago === null ? Date.parse(from) : nowMs - Number(ago[1]) * UNITS_MS[ago[2] as keyof typeof UNITS_MS];
  const toMs = to === undefined ? nowMs : Date.parse(to);
  return Number.isNaN(fromMs) || Number.isNaN(toMs) ? null : { fromMs, toMs };
}

/** `22 Nov 2026, 12:03 to 29 Nov 2026, 12:03, Europe/Berlin` */
export function periodInWords({ fromMs, toMs }: Period): string {
  return `${minuteOf(fromMs)} to ${minuteOf(toMs)}, ${zone()}`;
}

/**
 * Returns the period of an address in words: `since 30 Nov, 06:39:39`, `30 Nov, 06:39:39 to 06:41:02`, `since 2 h ago`.
 *
 * @param nowMs a time of another year is shown with its year
 */
export function givenPeriodInWords(from: string | undefined, to: string | undefined, nowMs: number): string {
  const end = to === undefined ? null : momentInWords(to, nowMs);
  if (from === undefined) return end === null ? 'all time' : `until ${end.day}${end.time}`;
  const start = momentInWords(from, nowMs);
  if (end === null) return `since ${start.day}${start.time}`;
  return `${start.day}${start.time} to ${end.day === start.day ? '' : end.day}${end.time}`;
}

function momentInWords(text: string, nowMs: number): { day: string; time: string } {
  const [, count, unit] = AGO.exec(text) ?? [];
  const atMs = Date.parse(text);
  if (count !== undefined) return { day: '', time: `${count} ${unit} ago` };
  if (Number.isNaN(atMs)) return { day: '', time: text };
  const thisYear = dayOf(nowMs).slice(-5);
  const day = dayOf(atMs);
  return {
    day: `${day.endsWith(thisYear) ? day.slice(0, -5) : day}, `,
    time: clockTime(atMs).slice(0, 8),
  };
}

function minuteOf(atMs: number): string {
  return `${dayOf(atMs)}, ${clockTime(atMs).slice(0, 5)}`;
}
