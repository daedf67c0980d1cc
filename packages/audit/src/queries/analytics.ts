/**
 * The one question behind most analytics: what was booked, counted and summed by up to three dimensions, over a
 * period or bucket by bucket. The first so many groups of an order are told, the rest in one row.
 *
 * The source is read once to find the groups, where there are any, and once to measure them: so what is held in memory
 * are the groups, and of buckets only those that are told.
 */
import { z } from 'zod';
import { question } from '../question.ts';
import { type BookedShape, bookedFilter, DIMENSION_NAMES, type Dimension } from './booked.ts';
import { groupOf, keysOf, unfolded } from './grouping.ts';
import { MEASURES, type Measures, measureSql, measures, NOTHING, ORDERS } from './measures.ts';
import { source } from './source.ts';
import type { Timeline } from './timeline.ts';

/** Milliseconds, as text: lists are of text. A day that 1970 begins in may have begun before. */
const listOfMs = z.array(z.string().regex(/^-?\d{1,13}$/)).min(1);

const params = bookedFilter.extend({
  groupBy: z.array(z.enum(DIMENSION_NAMES)).max(3).default([]),
  orderBy: z.enum(ORDERS).default('calls'),
  limit: z.int().min(1).max(1_000).default(100),
  /** Buckets, as `runsOf` gives them; absent: the period as a whole. Both or none. */
  runStarts: listOfMs.optional(),
  runSteps: listOfMs.optional(),
  /** Leaves out the groups in which the first dimension is none. */
  namedOnly: z.boolean().default(false),
  /** Without settlements, if no amount is asked for: then they need not be joined with their decisions. */
  decisionsOnly: z.boolean().default(false),
});

const row = z.object({
  /** False for the group of everything beyond `limit`, with empty keys. */
  shown: z.coerce.boolean(),
  /** The values of `groupBy`, in that order; empty for none. */
  keys: z.array(z.string()),
  /** How many groups the row stands for. */
  groups: z.int(),
  /** Null in the row of the whole period. */
  startMs: z.int().nullable(),
  ...measures,
});
export type AnalyticsRow = z.output<typeof row>;

/** The groups in their order, then what is beyond `limit`; then their buckets, those without rows left out. */
export const analytics = question({
  params,
  row,
  sql({ groupBy, orderBy, limit: _, runStarts, runSteps, namedOnly, decisionsOnly, ...asked }) {
    const shape: BookedShape = {
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
    // In the rows of whole groups ClickHouse gives the start, which they are not grouped by, as NULL.
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

/** Where the bucket of a moment begins: where its run of equal buckets does, and from there on in steps. */
const START = `
      WITH arrayMap(ms -> toInt64(ms), {runStarts:Array(String)}) AS run_starts,
        arrayMap(ms -> toInt64(ms), {runSteps:Array(String)}) AS run_steps,
        toUnixTimestamp64Milli(at) AS at_ms,
        roundDown(at_ms, run_starts) AS run_start,
        transform(run_start, run_starts, run_steps) AS run_step,
        toNullable(run_start + intDiv(at_ms - run_start, run_step) * run_step) AS start`;

/** Cuts at these moments are cuts at multiples of the result. */
function greatestCommonDivisor(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => {
    let [a, b] = [one, Math.abs(other)];
    while (b !== 0) [a, b] = [b, a % b];
    return a;
  }, 0);
}

/** The parameters of buckets, as a question takes them. */
export function bucketsOf({ runs }: Timeline): { runStarts: string[]; runSteps: string[] } {
  return {
    runStarts: runs.map(({ startMs }) => String(startMs)),
    runSteps: runs.map(({ stepMs }) => String(stepMs)),
  };
}

/** One group, or everything beyond the limit, and its buckets where the question has a timeline. */
type Told = Measures & { buckets?: (Measures & { startMs: number })[] };

export type AnalyticsAnswer = {
  groups: (Told & { group: Partial<Record<Dimension, string | null>> })[];
  /** Null where nothing is left out. `groups`: how many. */
  others: (Told & { groups: number }) | null;
};

/** The rows as people read them: buckets under their group, those in which nothing happened too. Ungrouped is one group. */
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
