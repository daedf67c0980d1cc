/**
 * Retention, which is off unless an operator runs `mandate audit prune`. It drops whole months of decisions,
 * settlements, dead letters, reads, records of SDKs and records of the context builder. Each month is a partition, so nothing is rewritten and the
 * disk space is free at once. Control events are never dropped: acts of operators and ledger epochs are needed as long
 * as the log exists.
 *
 * Dropped rows are missing from every answer: sums begin where the tables begin, and a reconciliation skips the older
 * part of the log. Tables that are recorded again contain the old months again until the next call. For retention per
 * tenant see retention/past-rows.ts.
 */
import { z } from 'zod';
import type { AuditClient } from './port.ts';
import { monthOf, newestFromMs } from './retention/months.ts';
import { recordRetentionStart } from './retention/retention-start.ts';
import { EVERYBODY } from './retention/tenant-tables.ts';
import { markReachingBack } from './rollups/mark-touched.ts';

const EXPIRING = [
  'decisions',
  'settlements',
  'dead_letters',
  'audit_reads',
  'sdk_records',
  'context_builds',
] as const;

/** A partition is a month, named YYYYMM. `rows` includes repeats that no merge has collapsed yet. */
const monthRow = z.object({ table: z.enum(EXPIRING), month: z.string().regex(/^\d{6}$/), rows: z.int() });

export type Month = z.output<typeof monthRow>;

/** Returns the months that are older than the newest `keepMonths` months. The current month is one of the newest. */
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
 * Drops these months. Safe to repeat, and safe while recorders and queries run.
 *
 * @throws MandateError as `AuditClient.command`. Months that were dropped before the error stay dropped
 */
export async function dropMonths(client: AuditClient, months: readonly Month[]): Promise<void> {
  if (months.length === 0) return;
  const fromMs = Math.max(...months.map(({ month }) => endOf(month)));
  await recordRetentionStart(client, [{ tenant: EVERYBODY, fromMs }]);
  for (const { table, month } of months) {
    // Marks the sums before and after the drop. The first marking keeps readers from sums of rows that are being
    // dropped. The second marking is for sums that were computed during the drop.
    await markReachingBack(client, month);
    await client.command(`ALTER TABLE ${table} DROP PARTITION ID '${month}'`);
    await markReachingBack(client, month);
  }
}

/** Returns the end of the month of a partition, in epoch milliseconds. */
function endOf(month: string): number {
  return Date.UTC(Number(month.slice(0, 4)), Number(month.slice(4)));
}
