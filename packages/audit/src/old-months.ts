/**
 * Retention, off unless an operator asks for it (`mandate audit prune`): drops whole months of decisions, settlements,
 * dead letters and reads, each a partition, so nothing is rewritten and the disk has room at once. Control events are
 * never dropped: what operators did, and which ledger epoch was in force, is needed for as long as the log is.
 *
 * What is dropped is gone from every answer: sums begin where the tables do, and a reconciliation leaves out the older
 * part of the log. Tables that are recorded again hold the old months again until the next call. What tenants may keep
 * for how long is another matter: retention/past-rows.ts.
 */
import { z } from 'zod';
import type { AuditClient } from './port.ts';
import { sayKeptFrom } from './retention/kept-from.ts';
import { monthOf, newestFromMs } from './retention/months.ts';
import { EVERYBODY } from './retention/tenant-tables.ts';
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
  const first = monthOf(newestFromMs(keepMonths, nowMs));
  const held = await client.query(
    `SELECT table, partition_id AS month, sum(rows) AS rows FROM system.parts
     WHERE database = currentDatabase() AND active AND table IN {tables:Array(String)}
     GROUP BY table, month HAVING rows > 0 ORDER BY month, table`,
    { tables: EXPIRING },
    monthRow,
  );
  return held.filter(({ month }) => month < first);
}

/**
 * Safe to repeat, and to run while recorders and queries do.
 *
 * @throws MandateError as `AuditClient.command`; what was dropped before stays dropped
 */
export async function dropMonths(client: AuditClient, months: readonly Month[]): Promise<void> {
  if (months.length === 0) return;
  const fromMs = Math.max(...months.map(({ month }) => endOf(month)));
  await sayKeptFrom(client, [{ tenant: EVERYBODY, fromMs }]);
  for (const { table, month } of months) {
    // Before, so that no reader sees sums of rows that are about to go; after, for sums that were counted again in
    // between.
    await markReachingBack(client, month);
    await client.command(`ALTER TABLE ${table} DROP PARTITION ID '${month}'`);
    await markReachingBack(client, month);
  }
}

/** Where the month of a partition ends. */
function endOf(month: string): number {
  return Date.UTC(Number(month.slice(0, 4)), Number(month.slice(4)));
}
