/**
 * Cuts a period into buckets on the clock of a time zone. Returns the start of each bucket, and a compact form for a
 * question.
 *
 * Only Intl handles time zones. ClickHouse gets milliseconds, so two lists of time zones cannot disagree.
 */

/**
 * Buckets of exact length, counted from each midnight. A day of 25 hours has 100 quarters of an hour or 25 hours. If
 * the clock goes back by half an hour, the last bucket of the day is shorter.
 */
const EXACT_MS = { '5m': 300_000, '15m': 900_000, '1h': 3_600_000 } as const;

/**
 * Buckets that end at a fixed time of the clock. A day in Berlin has 23, 24 or 25 hours, and a quarter of a day has
 * 5, 6 or 7 hours.
 */
const ON_THE_CLOCK = {
  '6h': {
    first: (wallMs: number) => floor(wallMs, 6 * 3_600_000),
    next: (wallMs: number) => wallMs + 6 * 3_600_000,
  },
  '1d': { first: (wallMs: number) => floor(wallMs, DAY_MS), next: (wallMs: number) => wallMs + DAY_MS },
  '1w': { first: monday, next: (wallMs: number) => wallMs + 7 * DAY_MS },
  '1mo': { first: (wallMs: number) => month(wallMs, 0), next: (wallMs: number) => month(wallMs, 1) },
} as const;

const DAY_MS = 86_400_000;

export const INTERVALS = ['5m', '15m', '1h', '6h', '1d', '1w', '1mo'] as const;
export type Interval = (typeof INTERVALS)[number];

export type Timeline = {
  /**
   * The start of each bucket, in epoch milliseconds. The first bucket contains `fromMs`. A bucket ends where the next
   * bucket begins.
   */
  starts: readonly number[];
  /**
   * The same starts as runs. A run is a series of buckets of equal length. The days of a year in Berlin form five
   * runs.
   */
  runs: readonly { startMs: number; stepMs: number }[];
};

/** Returns null if there are more than `most` buckets. There is always at least one bucket. */
export function timeline(
  { fromMs, toMs }: { fromMs: number; toMs: number },
  interval: Interval,
  timeZone: string,
  most: number,
): Timeline | null {
  const edges: number[] = [];
  for (const edge of edgesOf(interval, fromMs, clockOf(timeZone))) {
    // A bucket without length is left out. It occurs if the clock skips a time or shows a time twice. A bucket that
    // ends before `fromMs` is also left out.
    const last = edges.at(-1);
    if (last !== undefined && edge <= last) continue;
    if (edge <= fromMs) edges.pop();
    edges.push(edge);
    if (edges.length > 1 && edge >= toMs) break;
    if (edges.length > most) return null;
  }
  return { starts: edges.slice(0, -1), runs: runsOf(edges) };
}

export function isTimeZone(name: string): boolean {
  try {
    // Intl also accepts offsets such as +02:00. Offsets have no summer time, so only names are accepted.
    return /^[A-Za-z]/.test(name) && clockOf(name) !== undefined;
  } catch {
    return false;
  }
}

/** Yields the edges between buckets, without end. The first edge is at or before `fromMs`. */
function* edgesOf(interval: Interval, fromMs: number, clock: Clock): Generator<number> {
  if (isExact(interval)) {
    const stepMs = EXACT_MS[interval];
    for (let day = floor(clock.wallOf(fromMs), DAY_MS); ; day += DAY_MS) {
      const endMs = clock.momentOf(day + DAY_MS);
      for (let edge = clock.momentOf(day); edge < endMs; edge += stepMs) yield edge;
    }
  }
  const { first, next } = ON_THE_CLOCK[interval];
  for (let reading = first(clock.wallOf(fromMs)); ; reading = next(reading)) yield clock.momentOf(reading);
}

function isExact(interval: Interval): interval is keyof typeof EXACT_MS {
  return interval in EXACT_MS;
}

function runsOf(edges: readonly number[]): Timeline['runs'] {
  const runs: { startMs: number; stepMs: number }[] = [];
  for (const [at, edge] of edges.entries()) {
    const next = edges[at + 1];
    if (next !== undefined && runs.at(-1)?.stepMs !== next - edge)
      runs.push({ startMs: edge, stepMs: next - edge });
  }
  return runs;
}

/** Converts between moments and the time that a wall clock shows. Wall times are written as if they were UTC. */
type Clock = {
  wallOf(atMs: number): number;
  /**
   * Returns the first moment when the clock shows this time. If the clock skips the time, returns the moment when the
   * clock would have shown it.
   */
  momentOf(wallMs: number): number;
};

/** @throws RangeError if there is no such time zone */
function clockOf(timeZone: string): Clock {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'iso8601',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const aheadMs = (atMs: number) => {
    const said = Object.fromEntries(
      format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = said;
    return Date.UTC(year, month - 1, day, hour, minute, second) - floor(atMs, 1_000);
  };
  return {
    wallOf: (atMs) => atMs + aheadMs(atMs),
    momentOf(wallMs) {
      const before = aheadMs(wallMs - DAY_MS);
      const after = aheadMs(wallMs + DAY_MS);
      const early = wallMs - Math.max(before, after);
      return early + aheadMs(early) >= wallMs ? early : wallMs - Math.min(before, after);
    },
  };
}

function floor(wallMs: number, stepMs: number): number {
  return Math.floor(wallMs / stepMs) * stepMs;
}

/** This arithmetic uses that 1970 began on a Thursday. */
function monday(wallMs: number): number {
  return floor(wallMs + 3 * DAY_MS, 7 * DAY_MS) - 3 * DAY_MS;
}

function month(wallMs: number, later: number): number {
  const date = new Date(wallMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later);
}
