/**
 * What came into a table behind a place of the log, for whoever follows it as it fills (see live/). A row is found by
 * the partition and offset that it lies at, and only then by what it is: so a place in each partition is enough to go on
 * from, and nothing between two questions is missed or told twice.
 *
 * `recordedFromMs` keeps the question to the newest granules: without it every row of the tenant would be looked at.
 */
import { id, tenant } from '@mandate/schemas';
import { z } from 'zod';
import { question } from '../question.ts';
import { DECISION_COLUMNS, decisionSummary } from './decision-columns.ts';
import { decisionFilter, decisionsNarrowed, period } from './decision-filter.ts';
import {
  SETTLEMENT_COLUMNS,
  settlementFilter,
  settlementSummary,
  settlementsNarrowed,
} from './search-settlements.ts';

/** Rows of one partition in one answer, at most: whoever has much to catch up with has it looked for again each time. */
export const LANDED_A_PARTITION = 1_000;

/** Rows asked for by their ids at once: each is 30 characters of the question. */
export const MOST_IDS = 500;

const moment = period.fromMs.unwrap();
const window = { tenant, recordedFromMs: moment, sinceMs: moment };

const WITHIN = (time: string) => `tenant = {tenant:String}
      AND recorded_at >= fromUnixTimestamp64Milli({recordedFromMs:Int64}, 'UTC')
      AND ${time} >= fromUnixTimestamp64Milli({sinceMs:Int64}, 'UTC')`;

/**
 * Of each partition the next so many rows behind `through`, which stands for `partitions` one by one; of a partition that
 * is not named, from its start. Repeats and void rows are among them.
 */
function behind(table: string, time: string) {
  return question({
    params: z.strictObject({ ...window, partitions: z.array(z.int()), through: z.array(z.int()) }),
    row: z.object({ id: z.string(), logPartition: z.int(), logOffset: z.int(), atMs: z.int() }),
    sql: () => `
    SELECT id, log_partition AS logPartition, log_offset AS logOffset, toUnixTimestamp64Milli(${time}) AS atMs
    FROM ${table}
    WHERE ${WITHIN(time)}
      AND log_offset > transform(log_partition, {partitions:Array(UInt32)}, {through:Array(Int64)}, -1)
    ORDER BY log_partition, log_offset
    LIMIT ${LANDED_A_PARTITION} BY log_partition`,
  });
}

/** Where each partition ends now. */
function ends(table: string, time: string) {
  return question({
    params: z.strictObject(window),
    row: z.object({ logPartition: z.int(), logOffset: z.int() }),
    sql: () => `
    SELECT log_partition AS logPartition, max(log_offset) AS logOffset
    FROM ${table}
    WHERE ${WITHIN(time)}
    GROUP BY log_partition`,
  });
}

const ids = z.array(id).min(1).max(MOST_IDS);

export const landedDecisions = {
  behind: behind('decisions', 'decided_at'),
  ends: ends('decisions', 'decided_at'),
  /** Those of the ids that stand and are not narrowed away, in no order. */
  standing: question({
    params: decisionFilter.extend({ ids }),
    row: decisionSummary,
    sql: ({ ids: _, ...filter }) => `
    SELECT ${DECISION_COLUMNS}
    FROM decisions FINAL
    WHERE tenant = {tenant:String} AND id IN {ids:Array(String)} AND NOT void${decisionsNarrowed(filter)}`,
  }),
};

export const landedSettlements = {
  behind: behind('settlements', 'settled_at'),
  ends: ends('settlements', 'settled_at'),
  standing: question({
    params: settlementFilter.extend({ ids }),
    row: settlementSummary,
    sql: ({ ids: _, ...filter }) => `
    SELECT ${SETTLEMENT_COLUMNS}
    FROM settlements FINAL
    WHERE tenant = {tenant:String} AND id IN {ids:Array(String)} AND NOT void${settlementsNarrowed(filter)}`,
  }),
};
