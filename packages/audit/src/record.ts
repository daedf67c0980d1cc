/**
 * Writes records of the log into the tables. Each function takes a batch from the recorder. It resolves when every
 * record is stored as a row, or in quarantine with a reason. After an error some records of the batch may be stored
 * and others not. Then record the batch again. Any number of repeats is safe, because no answer shows repeats.
 */

import { isMandateError, turns } from '@mandate/runtime';
import type { AuditRead, DeadLetter, Decision, Republication, SdkRecord, Settlement } from '@mandate/schemas';
import { z } from 'zod';
import { certainlyFits } from './certainly-fits.ts';
import type { AuditClient } from './port.ts';
import { quarantine } from './quarantine.ts';
import type { Recorded } from './recorded.ts';
import { markingTouched } from './rollups/mark-touched.ts';
import { auditReadRow, auditReadRowOf } from './rows/audit-read-row.ts';
import { contextBuildRow, contextBuildRowOf, type KeptBuild } from './rows/context-build-row.ts';
import { type ControlEvent, controlEventRow, controlEventRowOf } from './rows/control-event-row.ts';
import { deadLetterRow, deadLetterRowOf } from './rows/dead-letter-row.ts';
import { decisionRow, decisionRowOf } from './rows/decision-row.ts';
import { republicationRow, republicationRowOf } from './rows/republication-row.ts';
import { sdkRecordRow, sdkRecordRowOf } from './rows/sdk-record-row.ts';
import { settlementRow, settlementRowOf } from './rows/settlement-row.ts';

/**
 * The number of records that became rows, and the number that were quarantined. Their sum is the size of the batch.
 */
export type InsertCounts = { inserted: number; quarantined: number };

const DECISIONS = table({
  name: 'decisions',
  schema: decisionRow,
  rowOf: decisionRowOf,
  partitionedBy: (row) => row.appended_at,
});
const SETTLEMENTS = table({
  name: 'settlements',
  schema: settlementRow,
  rowOf: settlementRowOf,
  partitionedBy: (row) => row.settled_at,
});
const CONTROL_EVENTS = table({ name: 'control_events', schema: controlEventRow, rowOf: controlEventRowOf });
const DEAD_LETTERS = table({ name: 'dead_letters', schema: deadLetterRow, rowOf: deadLetterRowOf });
const REPUBLICATIONS = table({ name: 'republications', schema: republicationRow, rowOf: republicationRowOf });
const AUDIT_READS = table({ name: 'audit_reads', schema: auditReadRow, rowOf: auditReadRowOf });
const CONTEXT_BUILDS = table({ name: 'context_builds', schema: contextBuildRow, rowOf: contextBuildRowOf });
const SDK_RECORDS = table({ name: 'sdk_records', schema: sdkRecordRow, rowOf: sdkRecordRowOf });

export function recordDecisions(
  client: AuditClient,
  batch: readonly Recorded<Decision>[],
): Promise<InsertCounts> {
  const booked = batch.map(({ record: { tenant, decidedAt } }) => ({ tenant, at: decidedAt }));
  return markingTouched(client, booked, () => record(client, DECISIONS, batch));
}

export function recordSettlements(
  client: AuditClient,
  batch: readonly Recorded<Settlement>[],
): Promise<InsertCounts> {
  const booked = batch.map(({ record: { tenant, settledAt } }) => ({ tenant, at: settledAt }));
  return markingTouched(client, booked, () => record(client, SETTLEMENTS, batch));
}

export function recordControlEvents(
  client: AuditClient,
  batch: readonly Recorded<ControlEvent>[],
): Promise<InsertCounts> {
  return record(client, CONTROL_EVENTS, batch);
}

export function recordDeadLetters(
  client: AuditClient,
  batch: readonly Recorded<DeadLetter['deadLetter']>[],
): Promise<InsertCounts> {
  return record(client, DEAD_LETTERS, batch);
}

export function recordRepublications(
  client: AuditClient,
  batch: readonly Recorded<Republication>[],
): Promise<InsertCounts> {
  return record(client, REPUBLICATIONS, batch);
}

export function recordAuditReads(
  client: AuditClient,
  batch: readonly Recorded<AuditRead>[],
): Promise<InsertCounts> {
  return record(client, AUDIT_READS, batch);
}

export function recordSdkRecords(
  client: AuditClient,
  batch: readonly Recorded<SdkRecord>[],
): Promise<InsertCounts> {
  return record(client, SDK_RECORDS, batch);
}

export function recordContextBuilds(
  client: AuditClient,
  batch: readonly Recorded<KeptBuild>[],
): Promise<InsertCounts> {
  return record(client, CONTEXT_BUILDS, batch);
}

const LANE = ['recorder'];

type Row = { origin: Recorded<unknown>; row: object; month: string };
type Refused = { origin: Recorded<unknown>; reason: string };

type Table<R, Schema extends z.ZodType<object>> = {
  name: string;
  schema: Schema;
  rowOf(recorded: Recorded<R>): z.input<Schema>;
  /**
   * Returns the time, in RFC 3339, that decides the month of the partition. Absent if listeners do not follow the
   * table.
   */
  partitionedBy?(row: z.output<Schema>): string;
};
type TableInUse<R, Schema extends z.ZodType<object>> = Table<R, Schema> & { fits: (row: unknown) => boolean };

function table<R, Schema extends z.ZodType<object>>(of: Table<R, Schema>): TableInUse<R, Schema> {
  return { ...of, fits: certainlyFits(of.schema) };
}

async function record<R, Schema extends z.ZodType<object>>(
  client: AuditClient,
  { name, schema, rowOf, fits, partitionedBy = () => '' }: TableInUse<R, Schema>,
  batch: readonly Recorded<R>[],
): Promise<InsertCounts> {
  const rows: Row[] = [];
  const refused: Refused[] = [];
  for (const origin of batch) {
    if (turns.isOver()) await turns.next(LANE);
    const row = rowOf(origin);
    const read = fits(row)
      ? { success: true as const, data: row as z.output<Schema> }
      : schema.safeParse(row);
    if (read.success) rows.push({ origin, row: read.data, month: partitionedBy(read.data).slice(0, 7) });
    else refused.push({ origin, reason: z.prettifyError(read.error) });
  }
  for (const run of inOrderOfTheLog(rows)) refused.push(...(await insertRows(client, name, run)));
  await quarantine(
    client,
    refused.map(({ origin, reason }) => ({ ...origin, meantFor: name, reason })),
  );
  return { inserted: batch.length - refused.length, quarantined: refused.length };
}

/**
 * Splits rows into inserts, so that listeners see the rows in the order of the log. ClickHouse stores an insert as
 * one part for each month, in the order in which the insert first names the months. So no insert may contain an
 * earlier month after a later month. Nearly always one insert is enough.
 */
function inOrderOfTheLog(rows: readonly Row[]): Row[][] {
  const runs: Row[][] = [];
  for (const row of rows) {
    const run = runs.at(-1);
    if (run === undefined || row.month < (run.at(-1)?.month ?? '')) runs.push([row]);
    else run.push(row);
  }
  return runs;
}

/**
 * Inserts the rows. If ClickHouse refuses the insert, inserts each half separately, until every refused row is found.
 * Returns the refused rows.
 */
async function insertRows(client: AuditClient, table: string, rows: readonly Row[]): Promise<Refused[]> {
  try {
    await client.insert(
      table,
      rows.map(({ row }) => row),
    );
    return [];
  } catch (error) {
    if (!isMandateError(error, 'AUDIT_ROW_REFUSED')) throw error;
    const [first, ...others] = rows;
    if (first === undefined) return [];
    if (others.length === 0) return [{ origin: first.origin, reason: error.message }];
    const middle = Math.floor(rows.length / 2);
    return [
      ...(await insertRows(client, table, rows.slice(0, middle))),
      ...(await insertRows(client, table, rows.slice(middle))),
    ];
  }
}
