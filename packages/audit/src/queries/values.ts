/**
 * The values of one dimension that begin with a text, with the number of decisions of each, the most frequent first. For
 * the suggestions of a filter. It reads the sums of hours where these have the dimension.
 */
import { time } from '@mandate/schemas';
import { z } from 'zod';
import { question } from '../question.ts';
import { analyticsFilter, DIMENSION_NAMES } from './analytics-source.ts';
import { keysOf, unfolded } from './grouping.ts';
import { source } from './source.ts';

export const values = question({
  params: analyticsFilter.pick({ tenant: true, fromMs: true, toMs: true }).extend({
    field: z.enum(DIMENSION_NAMES),
    prefix: z.string().max(200).default(''),
    limit: z.int().min(1).max(100).default(20),
  }),
  row: z.object({ value: z.string(), decisions: z.int(), lastAt: time.nullable() }),
  sql: ({ field, prefix: _, limit: __, ...asked }) => `
    SELECT own_keys[1] AS value, sum(calls) AS decisions, max(last_at) AS lastAt
    FROM (
      SELECT ${keysOf([field])} AS own_keys, booked.*
      FROM ${source(asked, { dimensions: [field], decisionsOnly: true })} AS booked
      ${unfolded([field])}
    )
    WHERE value != '' AND startsWith(value, {prefix:String})
    GROUP BY value
    ORDER BY decisions DESC, value
    LIMIT {limit:UInt32}`,
});
