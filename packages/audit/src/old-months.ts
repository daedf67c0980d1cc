/**
 * Retention, off unless somebody asks for it (`mandate audit prune`): drops whole months of decisions, settlements,
 * dead letters and reads, each a partition, so nothing is rewritten and the disk has room at once. Control events are never
 * dropped: what operators did, and which ledger epoch was in force, is needed for as long as the log is.
 *
 * What is dropped is gone from every answer: sums begin where the tables do, and a reconciliation over the whole log
 * finds the difference. Tables that are recorded anew hold the old months again until the next call.
 */
import { z } from 'zod';
import type { AuditClient } from './port.ts';
import { markReachingBack } from './rollups/mark-touched.ts';

const EXPIRING = ['decisions', 'settlements', 'dead_letters', 'audit_reads'] as const;

/** Partitions are months, named YYYYMM. `rows`: repeats among them that no merge has collapsed yet. */
const monthRow = z.object({ table: z.enum(EXPIRING), month: z.string().regex(/^\d{6}$/), rows: z.int() });

export type Month = z.output<typeof monthRow>;

/** What of the tables lies before the newest `keepMonths` months, of which the one that is running is the first. */
export async function oldMonths(
  client: AuditClient,
  { keepMonths, nowMs }: { keepMonths: number; nowMs: number },
): Promise<Month[]> {
  if (!(keepMonths >= 1)) throw new RangeError(`keepMonths is ${keepMonths}: at least one month is kept`);
  const held = await client.query(
    `SELECT table, partition_id AS month, sum(rows) AS rows FROM system.parts
     WHERE database = currentDatabase() AND active AND table IN {tables:Array(String)}
     GROUP BY table, month ORDER BY month, table`,
    { tables: EXPIRING },
    monthRow,
  );
  const first = firstMonthKept(keepMonths, new Date(nowMs));
  return held.filter(({ month }) => month < first);
}

/**
 * Safe to repeat, and to run while recorders and queries do.
 *
 * @throws MandateError as `AuditClient.command`; what was dropped before stays dropped
 */
export async function dropMonths(client: AuditClient, months: readonly Month[]): Promise<void> {
  for (const { table, month } of months) {
    // Before, so that nobody reads sums of what is about to go; after, for whoever counted again in between.
    await markReachingBack(client, month);
    await client.command(`ALTER TABLE ${table} DROP PARTITION ID '${month}'`);
    await markReachingBack(client, month);
  }
}

/** As YYYYMM, which sorts by time. */
function firstMonthKept(keepMonths: number, now: Date): string {
  const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1 - keepMonths));
  return first.toISOString().slice(0, 7).replace('-', '');
}
