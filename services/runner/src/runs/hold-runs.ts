/**
 * Decides which runs this process drives. The processes of the group share the partitions of the topic. A process
 * drives the open runs of the partitions that it holds, and stops driving them when it loses a partition.
 *
 * The group never commits. So a partition with records hands its first batch over as soon as it is assigned, and the
 * handler holds the partition until its signal aborts. What to do is not in the batch: it comes from the book.
 */
import type { Batch, Bus, Consumer } from '@mandate/bus';
import { isMandateError, type Logger } from '@mandate/runtime';
import { GROUPS, TOPICS } from '@mandate/schemas';
import type { PlanOf } from '../manifests/plans.ts';
import { type Driving, driveRun } from './drive-run.ts';
import type { BookedRun } from './run-book.ts';

export type HeldRuns = Pick<Consumer, 'finished' | 'stop'> & {
  /** How many runs this process drives now. */
  driven(): number;
};

export async function holdRuns(
  bus: Bus,
  {
    planOf,
    sessionTimeoutMs,
    log,
    ...driving
  }: Driving & { planOf: PlanOf; sessionTimeoutMs: number; log: Logger },
): Promise<HeldRuns> {
  const { book } = driving.runs;
  const driven = new Map<BookedRun, Promise<void>>();

  async function planned(run: BookedRun, how: { isTakenOver: boolean; signal: AbortSignal }): Promise<void> {
    const plan = await planOf(run.started);
    if (plan !== null) return driveRun(run, plan, how, { ...driving, log });
    log.error(
      { run: run.runId, manifest: run.started.manifest },
      'the manifest of a run is not known, so the run waits',
    );
  }

  async function hold(batch: Batch): Promise<void> {
    const { partition } = batch;
    const lost = new AbortController();
    const signal = AbortSignal.any([batch.signal, lost.signal]);
    const beat = setInterval(() => {
      batch.heartbeat().catch((error) => {
        if (isMandateError(error, 'BUS_FENCED')) lost.abort(error);
        else log.warn({ err: error, partition }, 'a heartbeat of the runner failed');
      });
    }, sessionTimeoutMs / 4);
    const own: Promise<void>[] = [];
    const drive = (run: BookedRun, isTakenOver: boolean) => {
      if (driven.has(run)) return;
      const done = planned(run, { isTakenOver, signal })
        .catch((err) => log.error({ err, run: run.runId }, 'a run cannot be driven'))
        .finally(() => driven.delete(run));
      driven.set(run, done);
      own.push(done);
    };
    const unlisten = book.listen((run, { event }) => {
      const mayDrive = event === 'run.started' || event === 'run.retried';
      if (mayDrive && run.partition === partition && run.status === 'running') drive(run, false);
    });
    for (const run of book.openRunsOf(partition)) drive(run, true);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    unlisten();
    clearInterval(beat);
    await Promise.all(own);
  }

  const consumer = await bus.consume({
    group: GROUPS.runner,
    topics: [TOPICS.runs],
    from: 'earliest',
    maxBatch: 1,
    sessionTimeoutMs,
    onBatch: hold,
  });
  return {
    finished: consumer.finished,
    stop: (drainMs) => consumer.stop(drainMs),
    driven: () => driven.size,
  };
}
