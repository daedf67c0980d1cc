/**
 * The question that most analytics use. It counts and sums bookings by up to three dimensions, over a whole period or
 * by bucket. It returns the first `limit` groups of an order, and the rest in one row.
 *
 * The source is read once to find the groups (if there are any) and once to measure them. So memory contains only the
 * groups, and only the buckets that are returned.
 */
import { z } from 'zod';
import { question } from '../question.ts';
import { type AnalyticsShape, analyticsFilter, DIMENSION_NAMES, type Dimension } from './analytics-source.ts';
import { groupOf, keysOf, unfolded } from './grouping.ts';
import { MEASURES, type Measures, measureSql, measures, NOTHING, ORDERS } from './measures.ts';
import { source } from './source.ts';
import type { Timeline } from './timeline.ts';

/**
 * Milliseconds as text, because a list parameter contains texts. A value may be negative, because the day that
 * contains 1970-01-01 UTC can begin earlier.
 */
const listOfMs = z.array(z.string().regex(/^-?\d{1,13}$/)).min(1);

const params = analyticsFilter.extend({
  groupBy: z.array(z.enum(DIMENSION_NAMES)).max(3).default([]),
  orderBy: z.enum(ORDERS).default('calls'),
  limit: z.int().min(1).max(1_000).default(100),
  /**
   * The buckets, as `runsOf` returns them. If they are absent, the question measures the whole period. Give both
   * lists or neither.
   */
  runStarts: listOfMs.optional(),
  runSteps: listOfMs.optional(),
  /** Leaves out groups with an empty first dimension. */
  namedOnly: z.boolean().default(false),
  /** Leaves out settlements if no amount is needed, so that they need not be joined with their decisions. */
  decisionsOnly: z.boolean().default(false),
});

const row = z.object({
  /** True for a named group. False for the group of everything after `limit`, which has empty keys. */
  shown: z.coerce.boolean(),
  /** The values of the dimensions, in the order of `groupBy`. Empty text means none. */
  keys: z.array(z.string()),
  /** The number of groups in this row. */
  groups: z.int(),
  /** The start of the bucket. Null if the row is for the whole period. */
  startMs: z.int().nullable(),
  ...measures,
});
export type AnalyticsRow = z.output<typeof row>;

/**
 * Returns the groups in their order, then the group of everything after `limit`, then the buckets of each. Empty
 * buckets are left out.
 */
export const analytics = question({
  params,
  row,
  sql({ groupBy, orderBy, limit: _, runStarts, runSteps, namedOnly, decisionsOnly, ...asked }) {
    const shape: AnalyticsShape = {
      dimensions: groupBy,
      decisionsOnly,
      ...(runStarts && runSteps && { cutMs: greatestCommonDivisor([...runStarts, ...runSteps].map(Number)) }),
    };
    const buckets = runStarts === undefined ? null : START;
    const keyed = `${buckets ?? ''}
      SELECT ${keysOf(groupBy)} AS own_keys, ${buckets === null ? '' : 'start,'} booked.*
      FROM ${source(asked, shape)} AS booked
      ${unfolded(groupBy)}
      ${namedOnly && groupBy.length > 0 ? "WHERE own_keys[1] != ''" : ''}`;
    const first = `
        SELECT own_keys FROM (${keyed}) AS booked
        GROUP BY own_keys ORDER BY ${measureSql(orderBy)} DESC NULLS LAST, own_keys LIMIT {limit:UInt32}`;
    // The row of a whole group is not grouped by start, so ClickHouse returns NULL for its start.
    return `
    SELECT shown, keys, uniqExact(own_keys) AS groups, ${buckets === null ? 'NULL' : 'start'} AS startMs,
      ${MEASURES}
    FROM (
      SELECT if(shown, own_keys, []) AS keys, *
      FROM (SELECT ${groupBy.length === 0 ? 'true' : `own_keys IN (${first})`} AS shown, * FROM (${keyed}))
    ) AS booked
    GROUP BY GROUPING SETS ((shown, keys)${buckets === null ? '' : ', (shown, keys, start)'})
    ORDER BY startMs NULLS FIRST, shown DESC, ${orderBy} DESC NULLS LAST, keys`;
  },
});

/**
 * SQL for the start of the bucket that contains a moment. A run is a series of buckets of equal length. A bucket
 * starts a whole number of steps after the start of its run.
 */
const START = `
      WITH arrayMap(ms -> toInt64(ms), {runStarts:Array(String)}) AS run_starts,
        arrayMap(ms -> toInt64(ms), {runSteps:Array(String)}) AS run_steps,
        toUnixTimestamp64Milli(at) AS at_ms,
        roundDown(at_ms, run_starts) AS run_start,
        transform(run_start, run_starts, run_steps) AS run_step,
        toNullable(run_start + intDiv(at_ms - run_start, run_step) * run_step) AS start`;

/** Returns the greatest common divisor. Each of the numbers is then a multiple of the result. */
function greatestCommonDivisor(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => {
    let [a, b] = [one, Math.abs(other)];
    while (b !== 0) [a, b] = [b, a % b];
    return a;
  }, 0);
}

/** Returns the parameters for the buckets of a timeline. */
export function bucketsOf({ runs }: Timeline): { runStarts: string[]; runSteps: string[] } {
  return {
    runStarts: runs.map(({ startMs }) => String(startMs)),
    runSteps: runs.map(({ stepMs }) => String(stepMs)),
  };
}

/** One group, or the sum of all groups after the limit. It has buckets if the question has a timeline. */
type Told = Measures & { buckets?: (Measures & { startMs: number })[] };

export type AnalyticsAnswer = {
  groups: (Told & { group: Partial<Record<Dimension, string | null>> })[];
  /** Null if no group is left out. `groups` is the number of groups left out. */
  others: (Told & { groups: number }) | null;
};

/**
 * Returns the rows in the form for people. Each group contains its buckets, including empty ones. Without grouping
 * there is one group.
 */
export function analyticsAnswer(
  rows: readonly AnalyticsRow[],
  groupBy: readonly Dimension[],
  line: Timeline | null,
): AnalyticsAnswer {
  const cells = new Map(rows.map((row) => [cellOf(row.shown, row.keys, row.startMs), row]));
  const told = (row: Pick<AnalyticsRow, 'shown' | 'keys'>, whole: Measures): Told => ({
    ...whole,
    ...(line !== null && {
      buckets: line.starts.map((startMs) => {
        const found = cells.get(cellOf(row.shown, row.keys, startMs));
        return { startMs, ...(found === undefined ? NOTHING : measured(found)) };
      }),
    }),
  });
  const whole = rows.filter(({ startMs }) => startMs === null);
  const groups = whole
    .filter(({ shown }) => shown)
    .map((row) => ({ group: groupOf(groupBy, row.keys), ...told(row, measured(row)) }));
  const rest = whole.find(({ shown }) => !shown);
  const nothing = { shown: true, keys: [] };
  return {
    groups: groupBy.length === 0 && groups.length === 0 ? [{ group: {}, ...told(nothing, NOTHING) }] : groups,
    others: rest === undefined ? null : { groups: rest.groups, ...told(rest, measured(rest)) },
  };
}

function cellOf(shown: boolean, keys: readonly string[], startMs: number | null): string {
  return JSON.stringify([shown, keys, startMs]);
}

function measured({ shown: _, keys: __, groups: ___, startMs: ____, ...own }: AnalyticsRow): Measures {
  return own;
}
