/** Rates as people write them in documents: `{ requests: 20, window: 1h }`, or as text `20/hour`. */
import { CAPS } from './defaults.ts';
import { readDuration, UNITS_MS } from './duration-text.ts';

const RATE = /^(0|[1-9]\d{0,9})\/([^/]+)$/;
export const RATE_PATTERN = RATE.source;
export const LONGEST_WINDOW = '31d';

const WORDS_MS: ReadonlyMap<string, number> = new Map([
  ['second', 1_000],
  ['minute', 60_000],
  ['hour', 3_600_000],
  ['day', 86_400_000],
  ['week', 7 * 86_400_000],
]);

const WRITTEN =
  'must be { requests: 20, window: 1h }, or a count, a slash and second, minute, hour, day, week, a unit or a duration: "20/hour", "5/30m"';

export type RateRead =
  | { ok: true; maxCalls: number; windowMs: number }
  | { ok: false; code: 'VALUE_INVALID' | 'DURATION_INVALID'; message: string };

export function readRate(value: unknown): RateRead {
  if (typeof value === 'string') return readText(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return invalid(WRITTEN);
  const { requests, window, ...unknown } = value as { requests?: unknown; window?: unknown };
  if (Object.keys(unknown).length > 0) return invalid(WRITTEN);
  return rate(requests, readDuration(window, LONGEST_WINDOW));
}

function readText(text: string): RateRead {
  const [, count, window = ''] = RATE.exec(text) ?? [];
  if (count === undefined) return invalid(WRITTEN);
  const ms = WORDS_MS.get(window) ?? UNITS_MS.get(window);
  return rate(Number(count), ms === undefined ? readDuration(window, LONGEST_WINDOW) : { ok: true, ms });
}

function rate(requests: unknown, window: ReturnType<typeof readDuration>): RateRead {
  if (typeof requests !== 'number' || !Number.isSafeInteger(requests)) return invalid(WRITTEN);
  if (requests < 0 || requests > CAPS.rateCalls)
    return invalid(`must allow 0 to ${CAPS.rateCalls} requests in its window`);
  if (!window.ok)
    return { ok: false, code: 'DURATION_INVALID', message: `has a window that ${window.message}` };
  return { ok: true, maxCalls: requests, windowMs: window.ms };
}

function invalid(message: string): RateRead {
  return { ok: false, code: 'VALUE_INVALID', message };
}
