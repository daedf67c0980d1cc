/**
 * Keeps each tenant's rows as long as its retention says, and no longer. The log may still have older records; these
 * are not recorded when the log is read again. Recorded rows are dropped once they are too old. Every recorder does
 * both, and two at once do no harm.
 */
import {
  ANYBODY,
  type AuditClient,
  auditNowMs,
  dropPastRows,
  ownerIfPast,
  type PastRows,
  type RecordOf,
  type RetentionStartOf,
  recordRetentionStart,
  retentionStartMs,
  type TenantTableName,
} from '@mandate/audit';
import { type Clock, type Logger, poll } from '@mandate/runtime';
import type { RecorderMeasures } from './measures.ts';
import type { RowBatch } from './row-batch.ts';

/**
 * Returns for how many whole months a tenant's rows are kept after their own month (see the audit's
 * `retentionStartMs`). Null: without limit. `*` stands for dead letters of the shared topic, which have no tenant.
 */
export type KeepMonths = (tenant: string) => number | null;

export type RetentionContext = {
  audit: AuditClient;
  keepMonths: KeepMonths;
  clock: Clock;
  log: Logger;
  measures: RecorderMeasures;
};

/** The table of each kind of records. */
const TABLES = {
  controlEvents: 'control_events',
  decisions: 'decisions',
  settlements: 'settlements',
  deadLetters: 'dead_letters',
  republications: 'republications',
  auditReads: 'audit_reads',
  sdkRecords: 'sdk_records',
  contextBuilds: 'context_builds',
} as const satisfies Record<Exclude<keyof RowBatch, 'unreadable'>, TenantTableName>;
type Recording = keyof typeof TABLES;

/**
 * Returns a function that removes records past their retention from batches. It first stores where the retention of
 * each such tenant begins, so that a reconciliation does not report the removed records as lost.
 */
export function withoutPastRecords(
  context: Omit<RetentionContext, 'log'>,
): (rowBatches: readonly RowBatch[]) => Promise<readonly RowBatch[]> {
  const { audit, keepMonths, clock, measures } = context;
  /** The start of the retention that was last stored, by tenant. */
  const said = new Map<string, number>();

  return async (rowBatches) => {
    const { past } = withoutPast(rowBatches, keptFromAt(clock(), keepMonths));
    if (past.length === 0) return rowBatches;
    const keptFrom = keptFromAt(await asOf(context), keepMonths);
    const sorted = withoutPast(rowBatches, keptFrom);
    for (const { table } of sorted.past) measures.pastRecords.inc({ table });
    const owners = new Set(sorted.past.map(({ owner }) => owner));
    const unsaid = [...owners]
      .filter((owner) => owner !== ANYBODY)
      .map((tenant) => ({ tenant, fromMs: keptFrom(tenant) ?? 0 }))
      .filter(({ tenant, fromMs }) => (said.get(tenant) ?? 0) < fromMs);
    await recordRetentionStart(audit, unsaid);
    for (const { tenant, fromMs } of unsaid) said.set(tenant, fromMs);
    return sorted.kept;
  };
}

/**
 * Returns the batches without records past their retention, and the tenant and table of each record that was left out.
 */
function withoutPast(
  rowBatches: readonly RowBatch[],
  keptFrom: RetentionStartOf,
): { kept: RowBatch[]; past: { owner: string; table: TenantTableName }[] } {
  const past: { owner: string; table: TenantTableName }[] = [];
  const isKept = <Name extends Recording>(name: Name, { record }: RowBatch[Name][number]) => {
    const table = TABLES[name];
    const owner = ownerIfPast(table, record as RecordOf<(typeof TABLES)[Name]>, keptFrom);
    if (owner !== null) past.push({ owner, table });
    return owner === null;
  };
  const kept = rowBatches.map((rowBatch) => ({
    controlEvents: rowBatch.controlEvents.filter((one) => isKept('controlEvents', one)),
    decisions: rowBatch.decisions.filter((one) => isKept('decisions', one)),
    settlements: rowBatch.settlements.filter((one) => isKept('settlements', one)),
    deadLetters: rowBatch.deadLetters.filter((one) => isKept('deadLetters', one)),
    republications: rowBatch.republications.filter((one) => isKept('republications', one)),
    auditReads: rowBatch.auditReads.filter((one) => isKept('auditReads', one)),
    sdkRecords: rowBatch.sdkRecords.filter((one) => isKept('sdkRecords', one)),
    contextBuilds: rowBatch.contextBuilds.filter((one) => isKept('contextBuilds', one)),
    unreadable: rowBatch.unreadable,
  }));
  return { kept, past };
}

export type KeepRetentionOptions = RetentionContext & {
  /** How long to wait before the first drop. A new recorder probably must first record the rows that it missed. */
  firstAfterMs: number;
  everyMs: number;
};

/**
 * Drops rows past their retention from time to time, until it is stopped. A drop that ClickHouse has begun is
 * completed.
 */
export function keepRetention(options: KeepRetentionOptions): { stop(): void } {
  const { audit, keepMonths, log, measures, firstAfterMs, everyMs } = options;
  const stopping = new AbortController();
  let looks: { stop(): void } | undefined;

  async function dropOnce(): Promise<void> {
    const nowMs = await asOf(options);
    const dropped = await dropPastRows(audit, {
      keptFrom: keptFromAt(nowMs, keepMonths),
      nowMs,
      signal: stopping.signal,
      onFound: (found) => measures.pastRows.set({}, rowsIn(found)),
      onGone: (gone) => {
        for (const { table, rows } of gone) measures.droppedRows.inc({ table }, rows);
        measures.pastRows.dec({}, rowsIn(gone));
      },
    });
    for (const [tenant, of] of Map.groupBy(dropped, ({ owner }) => owner)) {
      const months = [...new Set(of.map(({ month }) => month))];
      log.info({ tenant, months, rows: rowsIn(of) }, 'dropped what is past the retention of a tenant');
    }
  }

  const first = setTimeout(() => {
    looks = poll(everyMs, dropOnce, (err) =>
      log.warn({ err }, 'what is past the retention of tenants could not be dropped'),
    );
  }, firstAfterMs);
  return {
    stop() {
      clearTimeout(first);
      stopping.abort();
      looks?.stop();
    },
  };
}

function rowsIn(past: readonly PastRows[]): number {
  return past.reduce((sum, { rows }) => sum + rows, 0);
}

/**
 * Returns the earlier of two times: the recorder's and ClickHouse's. If one clock is ahead, rows would otherwise be
 * dropped too early and lost.
 */
async function asOf({ clock, audit }: Pick<RetentionContext, 'clock' | 'audit'>): Promise<number> {
  return Math.min(clock(), await auditNowMs(audit));
}

/** Returns the retention starts at one moment, so that all rows of a batch are compared with the same time. */
function keptFromAt(nowMs: number, keepMonths: KeepMonths): RetentionStartOf {
  const known = new Map<string, number | null>();
  return (owner) => {
    const before = known.get(owner);
    if (before !== undefined) return before;
    const months = keepMonths(owner);
    const fromMs = months === null ? null : retentionStartMs(months, nowMs);
    known.set(owner, fromMs);
    return fromMs;
  };
}
