/**
 * The recorder: a consumer of the decisions, the dead letters, the reads and the changes of agents, policies and rules, and the
 * only writer of the audit's tables. For each batch: read it, have it land in ClickHouse, commit. So nothing that is
 * committed is missing from the tables, and what lands twice shows once, because every table collapses repeats.
 *
 * A record that cannot be read, or a row that ClickHouse refuses, goes to quarantine with its bytes; the others land. A
 * change that cannot be read holds up those after it, because their results depend on it. While ClickHouse is away the
 * partitions wait; decisions go on, and the lag is a metric. Where its tables are made again the recorder ends: started
 * again, it fills them from the start of the log. Several recorders share the partitions. Where a ledger was rebuilt,
 * what its predecessors wrote after that point is marked void. Where tenants have a retention, what is past it is neither
 * recorded nor kept.
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
import { gatherInto } from './gather.ts';
import { type KeepMonths, keepRetention, leavingOutPast } from './keep-retention.ts';
import { keepRollups } from './keep-rollups.ts';
import { watchLag } from './lag-watch.ts';
import { countLanded, recorderMeasures } from './measures.ts';
import { land, type Pile } from './pile.ts';
import { type Gathered, recordUntilDone } from './record-batch.ts';
import { mustStillBe, tablesOf } from './same-tables.ts';
import { insertOf } from './trace-batch.ts';

export type RecorderOptions = {
  bus: Bus;
  /** With its tables: run `migrate` first. */
  audit: AuditClient;
  log: Logger;
  metrics: Metrics;
  /** null or absent where there are no traces. */
  tracer?: Tracer | null;
  clock?: Clock;
  /** At most so many records of a partition at once. Default 1,000. */
  maxBatch?: number;
  /** How long records are gathered before an insert when few come; what lags behind never waits. Default 200. */
  gatherMs?: number;
  sessionTimeoutMs?: number;
  /** How long the log keeps decisions and dead letters; absent: always. There is an alarm at half of it. */
  retentionMs?: number | undefined;
  /** For how long a tenant's rows are kept; absent: always. On a server it takes a user who may remove rows. */
  keepMonths?: KeepMonths | undefined;
  /** When rows that are kept no longer are first dropped, default a minute after the start, and then how often, default 6 hours. */
  dropping?: { firstAfterMs: number; everyMs: number };
  /** How often the lag is looked at, and whether the tables are still the same. Default 1,000. */
  lagEveryMs?: number;
  /** How often sums are brought up to date, default 10,000, and for how long an hour must have been left alone, default 60,000. */
  rollups?: { everyMs: number; quietMs: number };
};

export type Recorder = Running & {
  /** Rejects when it cannot go on: with AUDIT_TABLES_REPLACED it is to be started again. */
  finished: Promise<void>;
  /**
   * Resolves once everything that is on the log now is in the tables, and so in every answer. Rejects when `signal`
   * aborts or the recorder stops first.
   */
  caughtUp(signal?: AbortSignal): Promise<void>;
  readiness(): Promise<readonly ReadinessCheck[]>;
};

const RECORDED_TOPICS = [TOPICS.decisions, TOPICS.deadLetters, TOPICS.access, TOPICS.control];
const DRAIN_MS = 5_000;

export async function startRecorder(options: RecorderOptions): Promise<Recorder> {
  const { bus, audit, log, clock = systemClock, maxBatch = 1_000, sessionTimeoutMs = 10_000 } = options;
  const measures = recorderMeasures(options.metrics);
  const tables = await tablesOf(audit);
  const { keepMonths } = options;
  const retention = keepMonths && { audit, keepMonths, clock, log, measures };
  const leaveOutPast = retention ? leavingOutPast(retention) : async (piles: readonly Pile[]) => piles;
  const flush = async (gathered: readonly Gathered[]) => {
    const stopTimer = measures.flushSeconds.startTimer();
    const piles = await leaveOutPast(gathered.map(({ pile }) => pile));
    const traced = gathered.flatMap(({ spans }) => spans);
    const inserts = beginTogether(traced, 'insert', insertOf(piles));
    const quarantined = countLanded(measures, await withSpans(inserts, () => land(audit, piles)));
    stopTimer();
    if (quarantined > 0)
      log.error({ quarantined }, 'records went to quarantine; see the table for the reasons');
    await mustStillBe(tables, audit);
  };
  // Named by the tables, so that lost ones are recorded again.
  const group = recorderGroup(tables);
  const { tracer = null } = options;
  const context = {
    epochs: epochsInForce({ audit, bus }),
    changes: controlChanges(bus),
    gathering: gatherInto(flush, { everyMs: options.gatherMs ?? 200 }),
    clock,
    log,
    measures,
    tracing: tracer && { tracer, system: bus.system, group },
    heartbeatMs: sessionTimeoutMs / 4,
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
    () => mustStillBe(tables, audit),
    // What else fails is ClickHouse away: readiness and whatever waits tell of that.
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
