/**
 * Says of hours that rows land which are booked in them, so that what was counted of these hours no longer counts.
 *
 * Once they are there, and before the batch is taken for done: a reader that sees that mark sees the rows, and if a
 * recorder dies between the two, the batch comes again and is marked then. And before they are there: rows that can be
 * seen and are not marked yet, for a moment or for as long as a full disk takes no mark, would be missing from what was
 * counted without them, while lists show them. The mark before is not enough alone: a process that counts an hour between
 * it and the rows knows of the mark, and not of the rows.
 */
import type { AuditClient } from '../port.ts';
import { HOUR_MS } from './hour.ts';

/** @param rows where each is booked; what is no time that a table could hold becomes no row either */
export async function markingTouched<T>(
  client: AuditClient,
  rows: readonly { tenant: string; at: string }[],
  land: () => Promise<T>,
): Promise<T> {
  const marks = new Map<string, { tenant: string; hour: number; touches: number }>();
  for (const { tenant, at } of rows) {
    const hour = Math.floor(Date.parse(at) / HOUR_MS);
    if (!(hour >= 0)) continue;
    const key = `${hour}/${tenant}`;
    const mark = marks.get(key);
    if (mark === undefined) marks.set(key, { tenant, hour, touches: 1 });
    else mark.touches += 1;
  }
  const touched = [...marks.values()];
  await client.insert(
    'rollup_marks',
    touched.map((mark) => ({ ...mark, touches: 1 })),
  );
  const landed = await land();
  await client.insert('rollup_marks', touched);
  return landed;
}

/**
 * The same of every hour that may hold a row of that month, or of one before, of these tenants or of all: those rows go.
 * Which is every hour but those that are counted, and not from there: a process that counts an hour at this moment may
 * have read such a row already.
 */
export async function markReachingBack(
  client: AuditClient,
  month: string,
  tenants?: readonly string[],
): Promise<void> {
  const theirs = tenants === undefined ? 'true' : 'tenant IN {tenants:Array(String)}';
  await client.command(
    `INSERT INTO rollup_marks (tenant, hour, touches)
     SELECT tenant, hour, 1
     FROM (SELECT tenant, hour, sum(touches) AS touched FROM rollup_marks WHERE ${theirs} GROUP BY tenant, hour)
     WHERE (tenant, hour, touched) NOT IN (
       SELECT tenant, hour, touches FROM (SELECT * FROM rollup_sums FINAL WHERE hours = 1 AND ${theirs}) WHERE reaches_back_to > {month:UInt32}
     )`,
    { month: Number(month), ...(tenants && { tenants }) },
  );
}

/**
 * The same for everything that was recorded since then, by any recorder: a recorder of an earlier version does not say
 * what it touched.
 */
export async function markRecordedSince(client: AuditClient, sinceMs: number): Promise<void> {
  const since = "recorded_at >= fromUnixTimestamp64Milli({sinceMs:Int64}, 'UTC')";
  await client.command(
    `INSERT INTO rollup_marks (tenant, hour, touches)
     SELECT tenant, hour, count()
     FROM (
       SELECT tenant, intDiv(toUnixTimestamp64Milli(decided_at), ${HOUR_MS}) AS hour FROM decisions WHERE ${since}
       UNION ALL
       SELECT tenant, intDiv(toUnixTimestamp64Milli(settled_at), ${HOUR_MS}) FROM settlements WHERE ${since}
     )
     GROUP BY tenant, hour`,
    { sinceMs },
  );
}
