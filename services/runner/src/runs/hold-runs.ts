/**
 * Decides which runs this process drives. The processes of the group share the partitions of the topic. A process
 * drives the open runs of the partitions that it holds, and stops driving them when it loses a partition.
 *
 * The group never commits. So the handler gets the first batch of a partition as soon as the partition is assigned, and
 * holds the partition until its signal aborts. The handler does not use the batch: it reads the open runs from the run
 * book.
 */
import type { Batch, Bus, Consumer } from '@mandate/bus';
import { isMandateError, type Logger } from '@mandate/runtime';
import { GROUPS, type RunEvent, TOPICS } from '@mandate/schemas';
import type { PlanOf } from '../manifests/plans.ts';
import { type Driving, driveRun } from './drive-run.ts';
import type { FollowedRuns } from './follow-runs.ts';
import { PartitionHold } from './partition-hold.ts';
import type { BookedRun } from './run-book.ts';

export type HeldRuns = Pick<Consumer, 'finished' | 'stop'> & {
  /** The number of runs that this process drives now. */
  driven(): number;
};

type Driven = { hold: PartitionHold; stopping: AbortController; done: Promise<void> };

/** The first events of another process that continues a run in the middle of a step. */
const TAKEN_OVER: ReadonlySet<RunEvent['event']> = new Set(['step.resumed', 'step.uncertain']);

export async function holdRuns(
  bus: Bus,
  {
    planOf,
    sessionTimeoutMs,
    log,
    ...driving
  }: Driving & {
    runs: Pick<FollowedRuns, 'reached'>;
    planOf: PlanOf;
    sessionTimeoutMs: number;
    log: Logger;
  },
): Promise<HeldRuns> {
  const { book, reached } = driving.runs;
  const holds = new Map<number, PartitionHold>();
  const driven = new Map<BookedRun, Driven>();
  // In a rebalance, the group waits for its members for one session at most.
  const release = { quietMs: sessionTimeoutMs / 2, keepMs: 2 * sessionTimeoutMs };

  function drive(run: BookedRun, hold: PartitionHold, isTakenOver: boolean): void {
    const before = driven.get(run);
    const isDriven = before?.hold === hold && !before.stopping.signal.aborted;
    if (isDriven) return;
    const stopping = new AbortController();
    const holding = {
      signal: AbortSignal.any([hold.signal, stopping.signal]),
      untilHeld: () => hold.untilHeld(),
      setBusy: (isBusy: boolean) => hold.setBusy(run, isBusy),
    };
    const done = planned(run, before?.done, { isTakenOver, holding })
      .catch((err) => log.error({ err, run: run.runId }, 'a run cannot be driven'))
      .finally(() => {
        if (driven.get(run) === entry) driven.delete(run);
      });
    const entry = { hold, stopping, done };
    driven.set(run, entry);
  }

  async function planned(
    run: BookedRun,
    before: Promise<void> | undefined,
    how: Parameters<typeof driveRun>[2],
  ): Promise<void> {
    await before;
    const plan = await planOf(run.started);
    if (plan !== null) return driveRun(run, plan, how, { ...driving, log });
    log.error(
      { run: run.runId, manifest: run.started.manifest },
      'the manifest of a run is not known, so the run waits',
    );
  }

  function newHold(partition: number): PartitionHold {
    const hold = new PartitionHold();
    const unlisten = book.listen((run, { event }) => {
      if (run.partition !== partition) return;
      if (!hold.isHeld) {
        if (TAKEN_OVER.has(event)) driven.get(run)?.stopping.abort();
        return;
      }
      const mayDrive = event === 'run.started' || event === 'run.retried';
      if (mayDrive && run.status === 'running') drive(run, hold, false);
    });
    holds.set(partition, hold);
    hold.signal.addEventListener('abort', () => {
      unlisten();
      if (holds.get(partition) === hold) holds.delete(partition);
    });
    return hold;
  }

  async function onBatch(batch: Batch): Promise<void> {
    const { partition } = batch;
    const hold = holds.get(partition) ?? newHold(partition);
    const beat = setInterval(() => {
      batch.heartbeat().catch((error) => {
        if (isMandateError(error, 'BUS_FENCED')) hold.lose();
        else log.warn({ err: error, partition }, 'a heartbeat of the runner failed');
      });
    }, sessionTimeoutMs / 4);
    const ending = AbortSignal.any([batch.signal, hold.signal]);
    const ended = aborted(ending);
    try {
      // The run book must contain the events of the process that held the partition before.
      await Promise.race([ended, reached({ topic: TOPICS.runs, partition, offset: batch.endOffset - 1 })]);
      if (ending.aborted) return;
      hold.confirm();
      for (const run of book.openRunsOf(partition)) drive(run, hold, true);
      await ended;
    } catch (err) {
      log.warn({ err, partition }, 'the runs of a partition wait');
    } finally {
      clearInterval(beat);
      await hold.release(release);
    }
  }

  const consumer = await bus.consume({
    group: GROUPS.runner,
    topics: [TOPICS.runs],
    from: 'earliest',
    maxBatch: 1,
    sessionTimeoutMs,
    onBatch,
  });
  return {
    finished: consumer.finished,
    async stop(drainMs) {
      await consumer.stop(drainMs);
      for (const hold of [...holds.values()]) hold.lose();
      await Promise.all([...driven.values()].map(({ done }) => done));
    },
    driven: () => driven.size,
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
