/** Times as text. Every time is shown in one zone, which the header names. */
import { DURATION_UNITS } from '@mandate/schemas/duration-in-words';

const ZONE = 'mandate.zone';

/** The zone is read once, because reading it takes as long as formatting twenty times. */
const ZONE_OF_MACHINE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The time zone in which the console shows times and divides days: an IANA name. */
export function zone(): string {
  return localStorage.getItem(ZONE) ?? ZONE_OF_MACHINE;
}

/** Returns the zones that a person may choose. The present zone and UTC come first. */
export function zones(): string[] {
  return [...new Set([zone(), 'UTC', ...Intl.supportedValuesOf('timeZone')])];
}

export function keepZone(name: string): void {
  localStorage.setItem(ZONE, name);
}

const FORMATS = {
  clock: { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 },
  day: { day: 'numeric', month: 'short', year: 'numeric' },
  shortDay: { day: 'numeric', month: 'short' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/** Creating a format takes a hundred times as long as using it, and a list has hundreds of times to format. */
const made = new Map<string, Intl.DateTimeFormat>();

function formatted(atMs: number, name: keyof typeof FORMATS): string {
  const timeZone = zone();
  const key = `${name} ${timeZone}`;
  const format = made.get(key) ?? new Intl.DateTimeFormat('en-GB', { ...FORMATS[name], timeZone });
  made.set(key, format);
  return format.format(atMs);
}

/** `12:03:04.120` */
export function clockTime(atMs: number): string {
  return formatted(atMs, 'clock');
}

/** `29 Nov 2026, 12:03:04.120` */
export function wholeTime(atMs: number): string {
  return `${dayOf(atMs)}, ${clockTime(atMs)}`;
}

/** `29 Nov 2026` */
export function dayOf(atMs: number): string {
  return formatted(atMs, 'day');
}

/** The start of a bucket of a chart: `29 Nov` for days, `12:05` for shorter buckets. */
export function bucketStart(start: string, interval: string): string {
  const atMs = Date.parse(start);
  return interval === '1d' ? formatted(atMs, 'shortDay') : clockTime(atMs).slice(0, 5);
}

/** Returns a duration as text: `4 min`, `3.2 s` below ten seconds, `120 ms` below a second. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  const [unit, size] = DURATION_UNITS.find(([, size]) => ms >= size) ?? ['s', 1_000];
  return `${Math.floor(ms / size)} ${unit}`;
}

/** `4 min ago`, `in 20 s`, `now`. */
export function fromNow(atMs: number, nowMs: number): string {
  const apartMs = nowMs - atMs;
  if (Math.abs(apartMs) < 1_000) return 'now';
  return apartMs > 0 ? `${duration(apartMs)} ago` : `in ${duration(-apartMs)}`;
}
