/**
 * One batch of one partition: read it, have it land, then commit. The order is the promise: a commit only moves past
 * what ClickHouse acknowledged, so a crash anywhere means repeats, which the tables collapse, and never a gap.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Batch } from '@mandate/bus';
import { type Clock, during, isMandateError, type Logger, type Span } from '@mandate/runtime';
import type { EpochsInForce } from './epoch-in-force.ts';
import type { Gathering } from './gather.ts';
import { withHeartbeats } from './heartbeats.ts';
import type { RecorderMeasures } from './measures.ts';
import type { Pile } from './pile.ts';
import { readBatch } from './read-batch.ts';
import { beginSpans, type Tracing } from './trace-batch.ts';

/** What a batch hands over, and the spans of those of its records that are traced. */
export type Gathered = { pile: Pile; spans: readonly Span[] };

export type BatchContext = {
  epochs: EpochsInForce;
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
  return during(spans, () => untilDone(batch, spans, context));
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
      if (!isMandateError(error) || !error.retryable) throw error;
      log.warn({ err: error, waitMs, topic, partition }, 'the partition waits');
      measures.waits.inc({ code: error.code });
      await sleep(waitMs, undefined, { signal: batch.signal }).catch(() => {});
    }
  }
}

async function recordOnce(
  batch: Batch,
  spans: readonly Span[],
  { epochs, gathering, clock }: BatchContext,
): Promise<void> {
  const { topic, partition, records } = batch;
  const first = records[0]?.coordinate.offset ?? 0;
  const next = { topic, partition, offset: first + records.length };
  const before = await epochs.before({ ...next, offset: first });
  const { pile, epoch } = await readBatch(batch, { epoch: before, recordedAtMs: clock() });
  // Where more lies behind this batch, waiting would gather nothing that the next one does not bring.
  await gathering.add({ pile, spans }, next.offset < batch.endOffset);
  await batch.commit(next.offset);
  epochs.remember(next, epoch);
}
