/**
 * One batch of one partition: read it, have it land, then commit. The order is the promise: a commit only moves past
 * what ClickHouse acknowledged, so a crash anywhere means repeats, which the tables collapse, and never a gap.
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
import type { Gathering } from './gather.ts';
import { withHeartbeats } from './heartbeats.ts';
import type { RecorderMeasures } from './measures.ts';
import { emptyPile, type Pile } from './pile.ts';
import { type ReadBatch, readBatch } from './read-batch.ts';
import { beginSpans, type Tracing } from './trace-batch.ts';

/** What a batch hands over, and the spans of those of its records that are traced. */
export type Gathered = { pile: Pile; spans: readonly Span[] };

export type BatchContext = {
  epochs: EpochsInForce;
  changes: ControlChanges;
  gathering: Gathering<Gathered>;
  tracing: Tracing;
  clock: Clock;
  log: Logger;
  measures: RecorderMeasures;
  heartbeatMs: number;
};

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2_000;

/** Tries again, ever more slowly, while ClickHouse or the log is away. What will not pass by itself is thrown. */
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

/** What this version cannot read the next one can: until then that partition waits, and the others go on. */
function mayPass({ code, retryable }: MandateError): boolean {
  return retryable || code === 'LOG_UNREADABLE';
}

async function recordOnce(batch: Batch, spans: readonly Span[], context: BatchContext): Promise<void> {
  const { epochs, gathering } = context;
  const { topic, partition, records } = batch;
  const first = records[0]?.position.offset ?? 0;
  const next = { topic, partition, offset: first + records.length };
  const { pile, epoch } = await read(batch, { ...next, offset: first }, context);
  // Where more lies behind this batch, waiting would gather nothing that the next one does not bring.
  await gathering.add({ pile, spans }, next.offset < batch.endOffset);
  await batch.commit(next.offset);
  epochs.remember(next, epoch);
}

async function read(
  batch: Batch,
  start: LogPosition,
  { epochs, changes, clock }: BatchContext,
): Promise<ReadBatch> {
  if (batch.topic !== TOPICS.control) {
    const epoch = await epochs.before(start);
    return readBatch(batch, { epoch, recordedAtMs: clock() });
  }
  return { pile: { ...emptyPile(), controlEvents: await changes.in(batch.records, clock()) }, epoch: null };
}
