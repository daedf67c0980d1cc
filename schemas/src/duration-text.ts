/** Durations as people write them in documents: `24h`. A day has 24 hours. */

const DURATION = /^([1-9]\d{0,9})(ms|s|m|h|d|w)$/;
export const DURATION_PATTERN = DURATION.source;

/** The length of each unit in milliseconds. */
export const UNITS_MS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 7 * 86_400_000],
]);

const WRITTEN = 'a whole number and one of ms, s, m, h, d, w, as in "90m", "24h" or "7d"';

export type DurationRead = { ok: true; ms: number } | { ok: false; message: string };

/**
 * Reads a duration. There are no fractions, sums, capitals and bare numbers: each duration has one spelling.
 *
 * @param most the longest duration that is accepted, written as a duration
 */
export function readDuration(value: unknown, most?: string): DurationRead {
  const ms = typeof value === 'string' ? durationMs(value) : null;
  if (ms === null) return { ok: false, message: `must be a duration: ${WRITTEN}` };
  const mostMs = most === undefined ? null : durationMs(most);
  return mostMs !== null && ms > mostMs
    ? { ok: false, message: `must be at most ${most}` }
    : { ok: true, ms };
}

function durationMs(text: string): number | null {
  const [, count, unit = ''] = DURATION.exec(text) ?? [];
  const unitMs = UNITS_MS.get(unit);
  return unitMs === undefined ? null : Number(count) * unitMs;
}
