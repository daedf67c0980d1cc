/** How long ago, as one says it. Exact times are for programs and for what is copied. */
const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

export function relativeTime(atMs: number, nowMs: number): string {
  const apart = duration(Math.abs(nowMs - atMs));
  if (apart === null) return 'now';
  return atMs <= nowMs ? `${apart} ago` : `in ${apart}`;
}

/** For people how long ago; without a `nowMs` the exact time, as it came. */
export function shownTime(at: string, nowMs: number | null): string {
  return nowMs === null ? at : relativeTime(Date.parse(at), nowMs);
}

/** In one unit, rounded down; null for less than a second. */
export function duration(ms: number): string | null {
  const [unit, unitMs] = UNITS.find(([, unitMs]) => ms >= unitMs) ?? [null, 1];
  return unit === null ? null : `${Math.floor(ms / unitMs)} ${unit}`;
}

/** For who has to wait so long: in two units at most, and never less. */
export function roundedUp(ms: number): string {
  const stepMs = ms >= 86_400_000 ? 3_600_000 : ms >= 3_600_000 ? 60_000 : 1_000;
  let left = Math.max(1, Math.ceil(ms / stepMs)) * stepMs;
  const parts = UNITS.map(([unit, unitMs]) => {
    const count = Math.floor(left / unitMs);
    left -= count * unitMs;
    return count === 0 ? '' : `${count} ${unit}`;
  });
  return parts.filter((part) => part !== '').join(' ');
}
