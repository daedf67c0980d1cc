/**
 * How many records of each partition are in the tables. For recorders and operators only: the answer spans tenants,
 * so never ask it on behalf of one tenant.
 */
import { tenant } from '@mandate/schemas';
import { z } from 'zod';
import { question } from '../question.ts';

const nothing = z.strictObject({});
const partition = { logTopic: z.string(), logPartition: z.int() };

/** Every tenant with a decision on record. */
export const tenantsRecorded = question({
  params: nothing,
  row: z.object({ tenant }),
  sql: () => 'SELECT DISTINCT tenant FROM decisions ORDER BY tenant',
});

const TABLES = [
  'decisions',
  'settlements',
  'control_events',
  'dead_letters',
  'republications',
  'audit_reads',
  'sdk_records',
  'context_builds',
  'quarantine',
] as const;

/**
 * Returns the number of rows by table and partition of the log. Repeats count once. `lastOffset` is the highest
 * recorded offset of the partition.
 */
export const recordedByPartition = question({
  params: nothing,
  row: z.object({
    table: z.enum(TABLES),
    ...partition,
    rows: z.int(),
    voidRows: z.int(),
    lastOffset: z.int(),
  }),
  sql: () =>
    `SELECT * FROM (${TABLES.map(
      (table) => `
    SELECT '${table}' AS table, log_topic AS logTopic, log_partition AS logPartition, count() AS rows,
      ${table === 'quarantine' ? '0' : 'countIf(void)'} AS voidRows, max(log_offset) AS lastOffset
    FROM ${table} FINAL
    GROUP BY log_topic, log_partition`,
    ).join('\n    UNION ALL')}
    ) ORDER BY table, logTopic, logPartition`,
});
