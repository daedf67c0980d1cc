/**
 * Marks the hours of new rows as touched, so that earlier sums of these hours no longer count.
 *
 * Hours are marked after the rows are stored, and before the batch is acknowledged. A reader that sees this mark also
 * sees the rows. If a recorder dies between the two steps, the batch is recorded and marked again. Hours are also
 * marked before the rows are stored. Otherwise sums would miss rows that lists already show, until the second mark
 * is stored. The first mark alone is not enough: a process may count the hour between the mark and the rows. Its sums
 * would then know the mark without the rows.
 */
import type { AuditClient } from '../port.ts';
import { HOUR_MS } from './hour.ts';

/**
 * Marks the hours of these rows before and after `insert` stores them.
 *
 * @param rows the tenant and booking time of each row. A row with an invalid time is skipped, because no table can
 * store it
 */
export async function markingTouched<T>(
  client: AuditClient,
  rows: readonly { tenant: string; at: string }[],
  insert: () => Promise<T>,
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
  const inserted = await insert();
  await client.insert('rollup_marks', touched);
  return inserted;
}

/**
 * Marks every hour that may contain a row of this month or an earlier month, because those rows are dropped. An hour
 * is skipped only if its sums are current and contain no row that old. Hours without sums are marked too, because
 * another process may count such a row at this moment.
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
 * Marks the hours of everything recorded since this time, by any recorder, because recorders of an earlier version do
 * not mark hours.
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
