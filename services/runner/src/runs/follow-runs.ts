/**
 * Reads the topic of runs from its start and follows it. Everything that a process knows about runs comes from this
 * topic.
 */
import type { Bus, LogPosition } from '@mandate/bus';
import { type Logger, MandateError, type Running } from '@mandate/runtime';
import { type RunEvent, readRunEvent, runKey, TOPICS } from '@mandate/schemas';
import { type BookedRun, RunBook } from './run-book.ts';

export type FollowedRuns = Required<Running> & {
  book: RunBook;
  /**
   * Appends events of one run, and resolves once this process has read them back. Rejects with BUS_UNAVAILABLE if it
   * did not read them back within 10 s.
   */
  append(tenant: string, runId: string, events: readonly RunEvent[]): Promise<void>;
  /** Resolves once this process has read the record at this position. Rejects with BUS_UNAVAILABLE after 10 s. */
  reached(position: LogPosition): Promise<void>;
  /** The events of a run, from memory or from the log. */
  eventsOf(run: BookedRun): Promise<readonly RunEvent[]>;
};

/** How long an append waits until this process has read its events back. */
const READ_BACK_MS = 10_000;

/** Resolves once all records that were on the topic at the start have been read. */
export async function followRuns(bus: Bus, log: Logger): Promise<FollowedRuns> {
  const book = new RunBook();
  const next = new Map<number, number>();
  /** What `append` waits for. */
  const waiting = new Set<{ position: LogPosition; reached: () => void; ended: (error: unknown) => void }>();

  async function eventsOf({ events, partition, offsets }: BookedRun): Promise<readonly RunEvent[]> {
    if (events !== null) return [...events];
    const records = await Promise.all(
      offsets.map((offset) => bus.at({ topic: TOPICS.runs, partition, offset })),
    );
    return records.flatMap((record) => (record === null ? [] : [readRunEvent(record.value)]));
  }

  /** One bad record must not stop all runs. */
  function unlessBad<T>(position: LogPosition, work: () => T): T | null {
    try {
      return work();
    } catch (err) {
      log.error({ err, ...position }, 'a record of the topic of runs cannot be read, and is ignored');
      return null;
    }
  }

  /** A run that continues needs its events again, and they may have been dropped. */
  async function restore({ tenant, runId }: RunEvent): Promise<void> {
    const run = book.get(tenant, runId);
    if (run?.events === null) book.restore(run, await eventsOf(run));
  }

  const isReached = ({ partition, offset }: LogPosition) => (next.get(partition) ?? 0) > offset;

  const reader = await bus.read({
    topics: [TOPICS.runs],
    from: 'earliest',
    async onRecords(records) {
      for (const { position, value } of records) {
        const event = unlessBad(position, () => readRunEvent(value));
        if (event?.event === 'run.retried') await restore(event);
        if (event !== null) unlessBad(position, () => book.apply(event, position));
        next.set(position.partition, position.offset + 1);
      }
      for (const { position, reached } of waiting) if (isReached(position)) reached();
    },
  });
  const end = (error: unknown) => {
    for (const { ended } of waiting) ended(error);
  };
  const stopped = new MandateError('BUS_CLOSED', 'the topic of runs is no longer followed', {
    remedy: 'The process ends, and another process continues.',
  });
  reader.finished.then(() => end(stopped), end);
  await Promise.race([reader.caughtUp, reader.finished]);

  async function reached(position: LogPosition): Promise<void> {
    if (isReached(position)) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waits = { position, reached: resolve, ended: reject };
    const tooLate = setTimeout(() => reject(notReadBack()), READ_BACK_MS);
    waiting.add(waits);
    await promise.finally(() => {
      clearTimeout(tooLate);
      waiting.delete(waits);
    });
  }

  return {
    book,
    async append(tenant, runId, events) {
      const key = runKey(tenant, runId);
      const outgoing = events.map((event) => ({ key, value: JSON.stringify(event) }));
      const placed = await bus.append(TOPICS.runs, outgoing);
      const last = placed.at(-1);
      if (last !== undefined) await reached(last.position);
    },
    reached,
    eventsOf,
    finished: reader.finished,
    stop: () => reader.stop(),
  };
}

function notReadBack(): MandateError {
  return new MandateError(
    'BUS_UNAVAILABLE',
    'the events of the run are on the log, but were not read back in time',
    {
      remedy: 'Try again. If the error persists, check that the log is reachable.',
      retryable: true,
    },
  );
}
