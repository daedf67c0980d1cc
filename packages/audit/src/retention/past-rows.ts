/**
 * Drops the past months of each tenant, also from partitions with rows of other tenants. It uses mutations (ALTER …
 * DELETE): one for each partition, for all tenants with past rows in it.
 *
 * - A lightweight DELETE only hides rows until the next merge. An old month may never be merged again, so the rows
 *   would stay on the disk. A mutation rewrites exactly the parts that contain such rows.
 * - Dropping a partition without rows of other tenants would be quicker. But it could drop rows that a recorder
 *   stores for another tenant just before the drop. `mandate audit prune` without a tenant drops partitions, because
 *   it drops the rows of all tenants.
 *
 * ClickHouse runs a mutation in the background, and continues it after its own restart. If a process dies here, the
 * next one continues: it waits for mutations that were begun, and then drops what is left. Two processes at once do
 * the same work twice.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { MandateError } from '@mandate/runtime';
import { z } from 'zod';
import type { AuditClient, BoundParams } from '../port.ts';
import { markReachingBack } from '../rollups/mark-touched.ts';
import { monthOf } from './months.ts';
import { recordRetentionStart } from './retention-start.ts';
import {
  ANYBODY,
  EVERYBODY,
  type RetentionStartOf,
  TENANT_TABLE_NAMES,
  TENANT_TABLES,
  type TenantTableName,
} from './tenant-tables.ts';

/**
 * The tables that contain sums of hours and days. Each of their rows names the oldest month in its sums. Only earlier
 * versions use `rollups` (migration 0014).
 */
const SUMS = ['rollup_sums', 'rollups'] as const;
const TABLES = [...TENANT_TABLE_NAMES, ...SUMS] as const;

/**
 * Past rows of one owner in one month. `month` is YYYYMM. `rows` includes repeats that ClickHouse has not merged yet.
 */
const pastRowsRow = z.object({
  owner: z.string(),
  table: z.enum(TABLES),
  month: z.string().regex(/^\d{6}$/),
  rows: z.int(),
});

export type PastRows = z.output<typeof pastRowsRow>;

/**
 * Returns the past rows by table, owner and month, oldest first. Only reads. In tables with partitions it reads only
 * the owners of old rows.
 */
export async function pastRows(
  client: AuditClient,
  { keptFrom, nowMs }: { keptFrom: RetentionStartOf; nowMs: number },
): Promise<PastRows[]> {
  const held = await client.query(
    `SELECT * FROM (${TABLES.map(
      (table) => `
      SELECT '${table}' AS table, ${ownerIn(table)} AS owner, toString(${monthIn(table)}) AS month, count() AS rows
      FROM ${table}
      WHERE ${monthIn(table)} < {running:${isSums(table) ? 'UInt32' : 'String'}} AND owner != '${EVERYBODY}'
      GROUP BY owner, month`,
    ).join('\n      UNION ALL')}
    ) ORDER BY month, table, owner`,
    { running: monthOf(nowMs) },
    pastRowsRow,
  );
  return held.filter(({ owner, month }) => {
    const fromMs = keptFrom(owner);
    return fromMs !== null && month < monthOf(fromMs);
  });
}

/** True if the table contains sums and not records. */
export function isSums(table: PastRows['table']): table is (typeof SUMS)[number] {
  return table === 'rollup_sums' || table === 'rollups';
}

function ownerIn(table: PastRows['table']): string {
  return isSums(table) ? 'tenant' : TENANT_TABLES[table].owner;
}

/** The month as text, because partitions are compared by their names. */
function monthIn(table: PastRows['table']): string {
  if (isSums(table)) return 'reaches_back_to';
  const { at, hasPartitions } = TENANT_TABLES[table];
  return hasPartitions ? '_partition_id' : `toString(toYYYYMM(${at}))`;
}

export type DropOptions = {
  keptFrom: RetentionStartOf;
  nowMs: number;
  /** Aborting the signal ends the waiting. ClickHouse still finishes the mutations that it has begun. */
  signal?: AbortSignal;
  /**
   * Called with all past rows before the first of them is dropped. The next callback is called after each part is
   * gone.
   */
  onFound?: (found: readonly PastRows[]) => void;
  onGone?: (gone: readonly PastRows[]) => void;
};

/**
 * Drops the past rows, and resolves with a list of them when they are gone. Safe to repeat, and safe while recorders
 * and queries run.
 *
 * @throws MandateError as `AuditClient.command`, and AUDIT_UNAVAILABLE if ClickHouse cannot run a mutation. Rows that
 *   were dropped before the error stay dropped, and the next call drops the rest. The reason of `signal` if it was
 *   aborted.
 */
export async function dropPastRows(client: AuditClient, options: DropOptions): Promise<PastRows[]> {
  const { keptFrom, nowMs, signal, onFound, onGone } = options;
  await untilCarriedOut(client, TABLES, signal);
  const past = await pastRows(client, { keptFrom, nowMs });
  onFound?.(past);
  if (past.length === 0) return past;

  const groups = ownersByRetentionStart(past, keptFrom);
  await recordRetentionStart(
    client,
    groups.flatMap(({ owners, fromMs }) =>
      owners.filter((owner) => owner !== ANYBODY).map((tenant) => ({ tenant, fromMs })),
    ),
  );
  // The first call is before the drop, so that no reader uses sums of dropped rows. The second call is for sums that
  // were computed during the drop.
  await markSums(client, groups);
  for (const table of TENANT_TABLE_NAMES) {
    for (const { rows, where, params } of deletions(table, past, groups)) {
      await remove(client, table, where, params, signal);
      onGone?.(rows);
    }
  }
  await markSums(client, groups);
  for (const { owners, fromMs } of groups) {
    const params = { owners, month: Number(lastPastMonth(fromMs)) };
    const where = 'WHERE tenant IN {owners:Array(String)} AND reaches_back_to <= {month:UInt32}';
    for (const table of SUMS) await remove(client, table, where, params, signal);
  }
  onGone?.(past.filter(({ table }) => isSums(table)));
  return past;
}

type Group = { fromMs: number; owners: string[] };

/** Groups owners by their retention start. There are only a few different retention starts, even for many tenants. */
function ownersByRetentionStart(past: readonly PastRows[], keptFrom: RetentionStartOf): Group[] {
  const groups = new Map<number, Group>();
  for (const owner of new Set(past.map((rows) => rows.owner))) {
    const fromMs = keptFrom(owner);
    if (fromMs === null) continue;
    const group = groups.get(fromMs);
    if (group === undefined) groups.set(fromMs, { fromMs, owners: [owner] });
    else group.owners.push(owner);
  }
  return [...groups.values()];
}

function lastPastMonth(fromMs: number): string {
  return monthOf(fromMs - 1);
}

async function markSums(client: AuditClient, groups: readonly Group[]): Promise<void> {
  for (const { owners, fromMs } of groups) await markReachingBack(client, lastPastMonth(fromMs), owners);
}

type Deletion = { rows: PastRows[]; where: string; params: BoundParams };

function deletions(table: TenantTableName, past: readonly PastRows[], groups: readonly Group[]): Deletion[] {
  const here = past.filter((rows) => rows.table === table);
  const { owner, at, hasPartitions } = TENANT_TABLES[table];
  const theirs = `${owner} IN {owners:Array(String)}`;
  if (hasPartitions) {
    return [...Map.groupBy(here, ({ month }) => month)].map(([month, rows]) => ({
      rows,
      where: `IN PARTITION ID '${month}' WHERE ${theirs}`,
      params: { owners: rows.map((one) => one.owner) },
    }));
  }
  return groups
    .map(({ owners, fromMs }) => ({
      rows: here.filter((one) => owners.includes(one.owner)),
      where: `WHERE ${theirs} AND ${at} < fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')`,
      params: { owners, fromMs },
    }))
    .filter(({ rows }) => rows.length > 0);
}

async function remove(
  client: AuditClient,
  table: PastRows['table'],
  where: string,
  params: BoundParams,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted();
  await client.command(`ALTER TABLE ${table} DELETE ${where} SETTINGS mutations_sync = 0`, params);
  await untilCarriedOut(client, [table], signal);
}

const mutation = z.object({ table: z.string(), failed: z.string() });
const FIRST_WAIT_MS = 10;
const LONGEST_WAIT_MS = 1_000;

/** Waits until no mutation of these tables runs, including mutations of other processes. */
async function untilCarriedOut(
  client: AuditClient,
  tables: readonly PastRows['table'][],
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    const underWay = await client.query(
      `SELECT table, latest_fail_reason AS failed FROM system.mutations
       WHERE database = currentDatabase() AND table IN {tables:Array(String)} AND NOT is_done AND NOT is_killed`,
      { tables },
      mutation,
    );
    if (underWay.length === 0) return;
    const failed = underWay.find((one) => one.failed !== '');
    if (failed !== undefined) {
      throw new MandateError(
        'AUDIT_UNAVAILABLE',
        `ClickHouse could not carry out a mutation of ${failed.table}: ${failed.failed}`,
        {
          remedy:
            'ClickHouse tries the mutation again by itself. Check its free disk space and memory, and the table system.mutations.',
          retryable: true,
        },
      );
    }
    await sleep(waitMs, undefined, { signal });
  }
}
