/**
 * Counts hours and days again that changed since they were counted: hours from the base tables, days from their
 * hours. A row of sums contains the number of touches that existed when its counting began. A row is not read if
 * there are more touches now (see from-rollups.ts). So the refresh may be killed at any moment, run twice at once, or
 * pause for a year.
 *
 * An hour that still changes can wait, because otherwise it would be counted again and again.
 */
import { z } from 'zod';
import type { AuditClient } from '../port.ts';
import { bookingRows } from '../queries/analytics-source.ts';
import { ask, question } from '../question.ts';
import { COLUMNS_ROLLED, GROUP_COLUMNS, GROUPS_GIVEN, groupsIn, groupsOf, MANDATE_ROLLED } from './groups.ts';
import { dayOf, HOUR_MS } from './hour.ts';

export type RefreshOptions = {
  /** An hour is counted only if its last touch is older than this, in milliseconds. */
  quietMs: number;
  /**
   * The maximum number of touches (about one a row) to count in one statement. A single hour may have more. Default
   * 300,000.
   */
  mostRows?: number;
  /** If aborted, ends the refresh after the running statement. */
  signal?: AbortSignal;
};

/**
 * Runs one round and returns how many hours and days it counted. Both are 0 if nothing is left that can be counted
 * now.
 */
export async function refreshRollups(
  client: AuditClient,
  options: RefreshOptions,
): Promise<{ hours: number; days: number }> {
  const { quietMs, mostRows = 300_000, signal } = options;
  const counted = { hours: 0, days: 0 };
  for (const [name, due, count] of [
    ['hours', dueHours, countHours],
    ['days', dueDays, countDays],
  ] as const) {
    for (const batch of batches(await ask(client, due, { quietMs }), mostRows)) {
      if (signal?.aborted) return counted;
      await client.command(count, batch);
      counted[name] += batch.hours.length;
    }
  }
  return counted;
}

/**
 * The number of hours that must still be counted, including hours that still change, and the time since which the
 * oldest of them waits.
 */
export const waitingHours = question({
  params: z.strictObject({}),
  row: z.object({ hours: z.int(), sinceMs: z.int() }),
  sql: () => `
    SELECT count() AS hours, if(hours = 0, 0, toUnixTimestamp64Milli(min(last_touched_at))) AS sinceMs
    FROM (${touchedSince('true')})`,
});

type Due = { tenant: string; hour: number; touched: number };
const due = z.object({ tenant: z.string(), hour: z.int(), touched: z.int() });
const paced = z.strictObject({ quietMs: z.int().min(0) });

/**
 * The maximum number of hours in one round. Each round begins with the newest hours, so they do not wait long for old
 * hours.
 */
const A_ROUND = 2_000;

/** SQL for the hours with new touches since the rows of `rollup_sums` that match `counted`. */
function touchedSince(counted: string): string {
  return `
      SELECT tenant, hour, sum(touches) AS touched, max(touched_at) AS last_touched_at
      FROM rollup_marks
      GROUP BY tenant, hour
      HAVING (tenant, hour, touched) NOT IN (${known(1, counted)})`;
}

function known(spanHours: number, counted: string): string {
  return `SELECT tenant, hour, touches FROM (SELECT * FROM rollup_sums FINAL WHERE hours = ${spanHours}) WHERE ${counted}`;
}

const LEAVE_QUIET = "last_touched_at <= now64(3, 'UTC') - toIntervalMillisecond({quietMs:UInt32})";

/**
 * Finds the hours to count, newest first. Hours with a settlement without a decision are counted again every hour.
 */
const dueHours = question({
  params: paced,
  row: due,
  sql: () => `
    SELECT tenant, hour, touched FROM (${touchedSince("unmatched = 0 OR rolled_at > now64(3, 'UTC') - toIntervalHour(1)")})
    WHERE ${LEAVE_QUIET}
    ORDER BY hour DESC, tenant
    LIMIT ${A_ROUND}`,
});

/** Finds days with sums that are out of date. All their touched hours must already be counted. */
const dueDays = question({
  params: paced,
  row: due,
  sql: () => `
    SELECT tenant, day AS hour, touched
    FROM (
      SELECT tenant, day, sum(of_hour) AS touched, max(of_hour_at) AS last_touched_at, min(is_exact) AS are_exact
      FROM (
        SELECT tenant, ${dayOf('hour')} AS day, sum(touches) AS of_hour, max(touched_at) AS of_hour_at,
          (tenant, hour, of_hour) IN (${known(1, 'unmatched = 0')}) AS is_exact
        FROM rollup_marks GROUP BY tenant, hour
      )
      GROUP BY tenant, day
    )
    WHERE are_exact AND ${LEAVE_QUIET} AND (tenant, day, touched) NOT IN (${known(24, 'true')})
    ORDER BY hour DESC, tenant
    LIMIT ${A_ROUND}`,
});

type Batch = { tenant: string; hours: number[]; touches: number[] };

function batches(rows: readonly Due[], mostRows: number): Batch[] {
  const all: Batch[] = [];
  const open = new Map<string, { batch: Batch; rows: number }>();
  for (const { tenant, hour, touched } of rows) {
    let current = open.get(tenant);
    if (current === undefined || current.rows + touched > mostRows) {
      current = { batch: { tenant, hours: [], touches: [] }, rows: 0 };
      open.set(tenant, current);
      all.push(current.batch);
    }
    current.batch.hours.push(hour);
    current.batch.touches.push(touched);
    current.rows += touched;
  }
  return all;
}

/** An hour or day without records also gets a row, so that it is not counted again. */
function insertRows(spanHours: number, rows: string): string {
  return `
    INSERT INTO rollup_sums (tenant, hours, hour, touches, unmatched, reaches_back_to, ${GROUP_COLUMNS})
    SELECT {tenant:String}, ${spanHours}, asked.hour, touched, unmatched,
      if(reaches_back_to = 0, ${NO_MONTH}, reaches_back_to), ${GROUPS_GIVEN}
    FROM (
      SELECT arrayJoin(arrayZip({hours:Array(UInt32)}, {touches:Array(UInt64)})) AS pair, pair.1 AS hour, pair.2 AS touched
    ) AS asked
    LEFT JOIN (${groupsOf(rows)}) AS summed ON asked.hour = summed.hour
    SETTINGS join_use_nulls = 0, max_partitions_per_insert_block = 0`;
}

/** A number that is higher than every month. */
const NO_MONTH = 999_999;

/** A row without a code is a settlement whose decision is not recorded. */
const countHours = insertRows(
  1,
  `
      SELECT * REPLACE (${MANDATE_ROLLED} AS mandate_id), toUInt32(intDiv(toUnixTimestamp64Milli(at), ${HOUR_MS})) AS hour, toUInt64(code = '') AS unmatched,
        if(calls > 0, toYYYYMM(appended_at), least(toYYYYMM(at), if(code = '', ${NO_MONTH}, toYYYYMM(appended_at)))) AS reaches_back_to
      FROM (${bookingRows({ tenant: '' }, { columns: [...COLUMNS_ROLLED, 'appended_at'], hours: '{hours:Array(UInt32)}' })})`,
);

const countDays = insertRows(
  24,
  `
      SELECT * REPLACE (toUInt32(${dayOf('hour')}) AS hour)
      FROM (${groupsIn(
        `tenant = {tenant:String} AND hours = 1 AND ${dayOf('hour')} IN {hours:Array(UInt32)}`,
        {
          rowColumns: ['hour', 'unmatched', 'reaches_back_to'],
        },
      )})`,
);
