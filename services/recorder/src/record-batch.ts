/**
 * Records one batch of one partition: read, insert, then commit. A commit covers only records that ClickHouse has
 * acknowledged. So a crash may repeat rows, which the tables collapse, but no row is ever missing.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Batch, LogPosition } from '@mandate/bus';
import {
  type Clock,
  isMandateError,
  type Logger,
  type MandateError,
  type Span,
  withSpans,
} from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import type { ControlChanges } from './control-changes.ts';
import type { EpochsInForce } from './epoch-in-force.ts';
import type { GroupCommit } from './group-commit.ts';
import { withHeartbeats } from './heartbeats.ts';
import type { RecorderMeasures } from './measures.ts';
import { type KeepDays, type ReadBatch, readBatch } from './read-batch.ts';
import { emptyRowBatch, type RowBatch } from './row-batch.ts';
import { beginSpans, type Tracing } from './trace-batch.ts';

/** The rows of a batch, and the spans of its traced records. */
export type TracedRowBatch = { rowBatch: RowBatch; spans: readonly Span[] };

export type BatchContext = {
  epochs: EpochsInForce;
  changes: ControlChanges;
  groupCommit: GroupCommit<TracedRowBatch>;
  tracing: Tracing;
  clock: Clock;
  log: Logger;
  measures: RecorderMeasures;
  heartbeatMs: number;
  keepContextDays?: KeepDays | undefined;
};

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2_000;

/**
 * Records a batch. Retries after growing waits while ClickHouse or the log is away. Throws an error that a retry
 * cannot fix.
 */
export function recordUntilDone(batch: Batch, context: BatchContext): Promise<void> {
  const spans = beginSpans(context.tracing, batch);
  return withSpans(spans, () => untilDone(batch, spans, context));
}

async function untilDone(batch: Batch, spans: readonly Span[], context: BatchContext): Promise<void> {
  const { log, measures, heartbeatMs } = context;
  const { topic, partition } = batch;
  for (let waitMs = FIRST_WAIT_MS; !batch.signal.aborted; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      return await withHeartbeats(batch, heartbeatMs, () => recordOnce(batch, spans, context));
    } catch (error) {
      if (isMandateError(error, 'BUS_FENCED')) {
        log.warn({ topic, partition }, 'the partition went to another recorder');
        for (const span of spans) span.fail(error);
        return;
      }
      if (!isMandateError(error) || !mayPass(error)) throw error;
      log.warn({ err: error, waitMs, topic, partition }, 'the partition waits');
      measures.waits.inc({ code: error.code });
      await sleep(waitMs, undefined, { signal: batch.signal }).catch(() => {});
    }
  }
}

/**
 * True if a retry may help. A newer version may read a record that this version cannot read. Until then, only this
 * partition waits.
 */
function mayPass({ code, retryable }: MandateError): boolean {
  return retryable || code === 'LOG_UNREADABLE';
}

async function recordOnce(batch: Batch, spans: readonly Span[], context: BatchContext): Promise<void> {
  const { epochs, groupCommit } = context;
  const { topic, partition, records } = batch;
  const first = records[0]?.position.offset ?? 0;
  const next = { topic, partition, offset: first + records.length };
  const { rowBatch, epoch } = await read(batch, { ...next, offset: first }, context);
  // If more records of the partition follow, the batch is inserted without waiting for others.
  await groupCommit.add({ rowBatch, spans }, next.offset < batch.endOffset);
  await batch.commit(next.offset);
  epochs.remember(next, epoch);
}

async function read(
  batch: Batch,
  start: LogPosition,
  { epochs, changes, clock, keepContextDays }: BatchContext,
): Promise<ReadBatch> {
  if (batch.topic !== TOPICS.control) {
    const epoch = await epochs.before(start);
    return readBatch(batch, { epoch, recordedAtMs: clock(), keepContextDays });
  }
  return {
    rowBatch: { ...emptyRowBatch(), controlEvents: await changes.in(batch.records, clock()) },
    epoch: null,
  };
}
