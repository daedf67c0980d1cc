/**
 * The recorder: a consumer of the decisions, the records of SDKs and of context builders, the dead letters, the reads and the changes of
 * agents, policies and rules. Only the recorder writes the audit's tables. It reads a batch, inserts it into
 * ClickHouse, and commits. So every committed record is in the tables. A record that is inserted twice shows once,
 * because every table collapses repeats.
 *
 * A record that cannot be read, or a row that ClickHouse refuses, goes to quarantine with its bytes. The other
 * records are inserted. A change that cannot be read delays all later changes, because their results depend on it.
 * While ClickHouse is away the partitions wait; decisions go on, and a metric shows the lag. If the tables are
 * dropped and created again, the recorder ends. After a restart it fills the new tables from the start of the log.
 * Several recorders share the partitions. After a rebuild of the ledger, later records of older epochs are marked
 * void. If tenants have a retention, rows past it are neither recorded nor kept.
 */
import type { AuditClient } from '@mandate/audit';
import { type Bus, untilCommitted } from '@mandate/bus';
import {
  answers,
  beginTogether,
  type Clock,
  isMandateError,
  type Logger,
  poll,
  type ReadinessCheck,
  type Running,
  systemClock,
  type Tracer,
  withSpans,
} from '@mandate/runtime';
import { recorderGroup, TOPICS } from '@mandate/schemas';
import type { Metrics } from '@mandate/server';
import { controlChanges } from './control-changes.ts';
import { epochsInForce } from './epoch-in-force.ts';
import { createGroupCommit } from './group-commit.ts';
import { type KeepMonths, keepRetention, withoutPastRecords } from './keep-retention.ts';
import { keepRollups } from './keep-rollups.ts';
import { watchLag } from './lag-watch.ts';
import { countInserted, recorderMeasures } from './measures.ts';
import type { KeepDays } from './read-batch.ts';
import { recordUntilDone, type TracedRowBatch } from './record-batch.ts';
import { insertRowBatches, type RowBatch } from './row-batch.ts';
import { assertTablesUnchanged, tablesIdentity } from './tables-identity.ts';
import { insertOf } from './trace-batch.ts';

export type RecorderOptions = {
  bus: Bus;
  /** The audit. Its tables must exist: run `migrate` first. */
  audit: AuditClient;
  log: Logger;
  metrics: Metrics;
  /** Makes spans. Null or absent if there are no traces. */
  tracer?: Tracer | null;
  clock?: Clock;
  /** The maximum number of records of a partition in one batch. Default 1,000. */
  maxBatch?: number;
  /**
   * How long to wait for more records before an insert, in milliseconds. If the partition has more records, nothing
   * waits. Default 200.
   */
  gatherMs?: number;
  sessionTimeoutMs?: number;
  /**
   * How long the log keeps decisions and dead letters; absent: without limit. A record that waits half of this time
   * causes an alarm.
   */
  retentionMs?: number | undefined;
  /**
   * How long a tenant's rows are kept; absent: without limit. On a server, the user needs the right to delete rows.
   */
  keepMonths?: KeepMonths | undefined;
  /** How long the records of a tenant's context builder are kept. Default: 30 days. */
  keepContextDays?: KeepDays | undefined;
  /**
   * When rows past their retention are dropped: first one minute after the start, then every 6 hours, unless set
   * here.
   */
  dropping?: { firstAfterMs: number; everyMs: number };
  /**
   * How often the recorder measures the lag, and checks that the tables are still the same, in milliseconds. Default
   * 1,000.
   */
  lagEveryMs?: number;
  /**
   * How often rollups are refreshed, in milliseconds (default 10,000). An hour is counted after it got no rows for
   * `quietMs` (default 60,000).
   */
  rollups?: { everyMs: number; quietMs: number };
};

export type Recorder = Running & {
  /** Rejects if the recorder cannot continue. After AUDIT_TABLES_REPLACED, start it again. */
  finished: Promise<void>;
  /**
   * Resolves once every record that is now on the log is in the tables, and so in every answer. Rejects if `signal`
   * aborts, or if the recorder stops first.
   */
  caughtUp(signal?: AbortSignal): Promise<void>;
  readiness(): Promise<readonly ReadinessCheck[]>;
};

const RECORDED_TOPICS = [
  TOPICS.decisions,
  TOPICS.deadLetters,
  TOPICS.access,
  TOPICS.control,
  TOPICS.sdkRecords,
  TOPICS.context,
];
const DRAIN_MS = 5_000;

export async function startRecorder(options: RecorderOptions): Promise<Recorder> {
  const { bus, audit, log, clock = systemClock, maxBatch = 1_000, sessionTimeoutMs = 10_000 } = options;
  const measures = recorderMeasures(options.metrics);
  const tables = await tablesIdentity(audit);
  const { keepMonths } = options;
  const retention = keepMonths && { audit, keepMonths, clock, log, measures };
  const leaveOutPast = retention
    ? withoutPastRecords(retention)
    : async (rowBatches: readonly RowBatch[]) => rowBatches;
  const flush = async (gathered: readonly TracedRowBatch[]) => {
    const stopTimer = measures.flushSeconds.startTimer();
    const rowBatches = await leaveOutPast(gathered.map(({ rowBatch }) => rowBatch));
    const traced = gathered.flatMap(({ spans }) => spans);
    const inserts = beginTogether(traced, 'insert', insertOf(rowBatches));
    const quarantined = countInserted(
      measures,
      await withSpans(inserts, () => insertRowBatches(audit, rowBatches)),
    );
    stopTimer();
    if (quarantined > 0)
      log.error({ quarantined }, 'records went to quarantine; see the table for the reasons');
    await assertTablesUnchanged(tables, audit);
  };
  // The name of the group contains the id of the tables. New tables have a new group, and are filled from the start
  // of the log.
  const group = recorderGroup(tables);
  const { tracer = null } = options;
  const context = {
    epochs: epochsInForce({ audit, bus }),
    changes: controlChanges(bus),
    groupCommit: createGroupCommit(flush, { everyMs: options.gatherMs ?? 200 }),
    clock,
    log,
    measures,
    tracing: tracer && { tracer, system: bus.system, group },
    heartbeatMs: sessionTimeoutMs / 4,
    keepContextDays: options.keepContextDays,
  };
  const consumer = await bus.consume({
    group,
    topics: RECORDED_TOPICS,
    from: 'earliest',
    maxBatch,
    sessionTimeoutMs,
    onBatch: (batch) => recordUntilDone(batch, context),
  });
  const { retentionMs, lagEveryMs: everyMs = 1_000 } = options;
  const watch = watchLag({ bus, consumer, clock, log, measures, retentionMs, everyMs });
  const { rollups = { everyMs: 10_000, quietMs: 60_000 } } = options;
  const rollupsKept = keepRollups({ audit, clock, log, measures, ...rollups });
  const { dropping = { firstAfterMs: 60_000, everyMs: 6 * 3_600_000 } } = options;
  const retentionKept = retention && keepRetention({ ...retention, ...dropping });
  const replaced = Promise.withResolvers<never>();
  const tablesWatch = poll(
    everyMs,
    () => assertTablesUnchanged(tables, audit),
    // Any other error means that ClickHouse is away. Readiness and the waiting partitions already report this.
    (error) => isMandateError(error, 'AUDIT_TABLES_REPLACED') && replaced.reject(error),
  );
  const finished = Promise.race([consumer.finished, replaced.promise]);
  const stopping = new AbortController();
  const ended = () => {
    watch.stop();
    tablesWatch.stop();
    rollupsKept.stop();
    retentionKept?.stop();
    stopping.abort(new Error('the recorder stopped'));
  };
  finished.then(ended, ended);
  log.info({ group }, 'recording');

  return {
    finished,
    stop: () => consumer.stop(DRAIN_MS),
    caughtUp: (signal) => {
      const until = signal === undefined ? stopping.signal : AbortSignal.any([signal, stopping.signal]);
      return untilCommitted(bus, consumer, RECORDED_TOPICS, until);
    },
    readiness: async () => Promise.all([answers('log', bus.ping()), answers('audit', audit.ping())]),
  };
}
