/** Periods as the routes take them: `7d` until now, or times. */
import { clockTime, dayOf, zone } from './time.ts';

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

export type Period = { fromMs: number; toMs: number };

/**
 * Returns the period as times. So several questions about it have the same beginning and the same end.
 *
 * @param from how long before now, such as `7d`, or a time
 * @param to a time. Absent: now
 * @param nowMs the time of the plane
 */
export function periodOf(from: string, to: string | undefined, nowMs: number): Period | null {
  const ago = /^(\d{1,6})([mhdw])$/.exec(from);
  const fromMs =
    ago === null ? Date.parse(from) : nowMs - Number(ago[1]) * UNITS_MS[ago[2] as keyof typeof UNITS_MS];
  const toMs = to === undefined ? nowMs : Date.parse(to);
  return Number.isNaN(fromMs) || Number.isNaN(toMs) ? null : { fromMs, toMs };
}

/** `22 Nov 2026, 12:03 to 29 Nov 2026, 12:03, Europe/Berlin` */
export function periodInWords({ fromMs, toMs }: Period): string {
  return `${minuteOf(fromMs)} to ${minuteOf(toMs)}, ${zone()}`;
}

function minuteOf(atMs: number): string {
  return `${dayOf(atMs)}, ${clockTime(atMs).slice(0, 5)}`;
}
