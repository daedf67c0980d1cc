/** Compares spend, calls or refusals with the period before. Returns only groups with a change, the largest first. */
import { z } from 'zod';
import { question } from '../question.ts';
import { analyticsFilter, DIMENSION_NAMES } from './analytics-source.ts';
import { keysOf, unfolded } from './grouping.ts';
import { source } from './source.ts';
import { summedMicros } from './summed-micros.ts';

const MOVED = {
  spend: 'booked.charged + booked.settled',
  calls: 'booked.calls',
  blocks: "if(booked.verdict = 'BLOCK', booked.calls, 0)",
} as const;

export const MOVED_BY = Object.keys(MOVED) as [keyof typeof MOVED, ...(keyof typeof MOVED)[]];

const moment = analyticsFilter.shape.fromMs.unwrap();

const params = analyticsFilter.extend({
  /**
   * Start of the earlier period, start of the later period (which ends the earlier one), and end of the later period.
   */
  fromMs: moment,
  sinceMs: moment,
  toMs: moment,
  groupBy: z.array(z.enum(DIMENSION_NAMES)).min(1).max(3),
  by: z.enum(MOVED_BY),
  limit: z.int().min(1).max(1_000).default(100),
});

/** Returns the groups with the largest change first. */
export const movers = question({
  params,
  row: z.object({
    keys: z.array(z.string()),
    /** The amount in the earlier period: micro-dollars, or a count. */
    before: summedMicros,
    now: summedMicros,
  }),
  sql: ({ sinceMs, groupBy, by, limit: _, ...asked }) => `
    SELECT ${keysOf(groupBy)} AS keys,
      sumIf(${MOVED[by]}, ${BEFORE}) AS before,
      sumIf(${MOVED[by]}, NOT ${BEFORE}) AS now
    FROM ${source(asked, {
      dimensions: groupBy,
      // A cut at 0 is not needed, because nothing is older than 1970.
      ...(sinceMs > 0 && { cutMs: sinceMs }),
      decisionsOnly: by !== 'spend',
    })} AS booked
    ${unfolded(groupBy)}
    GROUP BY keys
    HAVING now != before
    ORDER BY abs(now - before) DESC, keys
    LIMIT {limit:UInt32}`,
});

const BEFORE = "booked.at < fromUnixTimestamp64Milli({sinceMs:Int64}, 'UTC')";
