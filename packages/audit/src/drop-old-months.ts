/**
 * Retention, off unless somebody asks for it: drops whole months of decisions, settlements and dead letters, each a
 * partition, so nothing is rewritten and the disk has room at once. Control events are never dropped: what operators
 * did, and which ledger epoch was in force, is needed for as long as the log is.
 *
 * What is dropped is gone from every answer: sums begin where the tables do, and a reconciliation over the whole log
 * finds the difference. Tables that are recorded anew hold the old months again until the next call.
 */
import { z } from 'zod';
import type { AuditClient } from './port.ts';

const EXPIRING = ['decisions', 'settlements', 'dead_letters'] as const;

/** Partitions are months, named YYYYMM: what began before the end of such a month. */
const monthRow = z.object({ table: z.enum(EXPIRING), month: z.string().regex(/^\d{6}$/) });

export type DroppedMonth = z.output<typeof monthRow>;

const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * Drops the months of which every record is older than `keepDays`, and names them. Safe to repeat, and to run while
 * recorders and queries do.
 *
 * @throws MandateError as `AuditClient.command`; what was dropped before stays dropped
 */
export async function dropOldMonths(
  client: AuditClient,
  { keepDays, nowMs }: { keepDays: number; nowMs: number },
): Promise<DroppedMonth[]> {
  if (!(keepDays >= 1)) throw new RangeError(`keepDays is ${keepDays}: at least one day is kept`);
  const held = await client.query(
    `SELECT DISTINCT table, partition_id AS month FROM system.parts
     WHERE database = currentDatabase() AND active AND table IN {tables:Array(String)}
     ORDER BY table, month`,
    { tables: EXPIRING },
    monthRow,
  );
  const expired = held.filter(({ month }) => endOfMonthMs(month) <= nowMs - keepDays * DAY_MS);
  for (const { table, month } of expired) {
    await client.command(`ALTER TABLE ${table} DROP PARTITION ID '${month}'`);
  }
  return expired;
}

/** The first instant of the month after. */
function endOfMonthMs(month: string): number {
  return Date.UTC(Number(month.slice(0, 4)), Number(month.slice(4)));
}
