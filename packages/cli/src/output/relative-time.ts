/** Returns how long ago something was, in words. Programs need exact times instead. */
import { DURATION_UNITS } from '@mandate/schemas/duration-in-words';

export function relativeTime(atMs: number, nowMs: number): string {
  const apart = duration(Math.abs(nowMs - atMs));
  if (apart === null) return 'now';
  return atMs <= nowMs ? `${apart} ago` : `in ${apart}`;
}

/** Returns how long ago a time was, in words for people. If `nowMs` is null, returns the exact time. */
export function shownTime(at: string, nowMs: number | null): string {
  return nowMs === null ? at : relativeTime(Date.parse(at), nowMs);
}

/** Returns a duration in one unit, rounded down. Null for less than a second. */
export function duration(ms: number): string | null {
  const [unit, unitMs] = DURATION_UNITS.find(([, unitMs]) => ms >= unitMs) ?? [null, 1];
  return unit === null ? null : `${Math.floor(ms / unitMs)} ${unit}`;
}

/** Returns a wait in at most two units, rounded up. A caller that waits this long does not try again too early. */
export function roundedUp(ms: number): string {
  const stepMs = ms >= 86_400_000 ? 3_600_000 : ms >= 3_600_000 ? 60_000 : 1_000;
  let left = Math.max(1, Math.ceil(ms / stepMs)) * stepMs;
  const parts = DURATION_UNITS.map(([unit, unitMs]) => {
    const count = Math.floor(left / unitMs);
    left -= count * unitMs;
    return count === 0 ? '' : `${count} ${unit}`;
  });
  return parts.filter((part) => part !== '').join(' ');
}
