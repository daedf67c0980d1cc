/** Reads the topic of runs from its start and follows it. All that a process knows of runs comes from this topic. */
import type { Bus, LogPosition } from '@mandate/bus';
import { type Logger, MandateError, type Running } from '@mandate/runtime';
import { type RunEvent, readRunEvent, runKey, TOPICS } from '@mandate/schemas';
import { type BookedRun, RunBook } from './run-book.ts';

export type FollowedRuns = Required<Running> & {
  book: RunBook;
  /** Appends events of one run, and resolves once this process has read them back. */
  append(tenant: string, runId: string, events: readonly RunEvent[]): Promise<void>;
  /** The events of a run, from memory or from the log. */
  eventsOf(run: BookedRun): Promise<readonly RunEvent[]>;
};

/** Resolves once all records that were on the topic at the start have been read. */
export async function followRuns(bus: Bus, log: Logger): Promise<FollowedRuns> {
  const book = new RunBook();
  const next = new Map<number, number>();
  let waiting: { position: LogPosition; reached: () => void; ended: (error: unknown) => void }[] = [];

  const isReached = ({ partition, offset }: LogPosition) => (next.get(partition) ?? 0) > offset;

  const reader = await bus.read({
    topics: [TOPICS.runs],
    from: 'earliest',
    onRecords(records) {
      for (const { position, value } of records) {
        try {
          book.apply(readRunEvent(value), position);
        } catch (err) {
          log.error({ err, ...position }, 'a record of the topic of runs cannot be read, and is ignored');
        }
        next.set(position.partition, position.offset + 1);
      }
      const arrived = waiting.filter(({ position }) => isReached(position));
      if (arrived.length === 0) return;
      waiting = waiting.filter(({ position }) => !isReached(position));
      for (const { reached } of arrived) reached();
    },
  });
  const end = (error: unknown) => {
    for (const { ended } of waiting.splice(0)) ended(error);
  };
  const stopped = new MandateError('BUS_CLOSED', 'the topic of runs is no longer followed', {
    remedy: 'The process ends, and another process continues.',
  });
  reader.finished.then(() => end(stopped), end);
  await Promise.race([reader.caughtUp, reader.finished]);

  const reached = (position: LogPosition) =>
    isReached(position)
      ? Promise.resolve()
      : new Promise<void>((resolve, reject) => waiting.push({ position, reached: resolve, ended: reject }));

  return {
    book,
    async append(tenant, runId, events) {
      const key = runKey(tenant, runId);
      const outgoing = events.map((event) => ({ key, value: JSON.stringify(event) }));
      const placed = await bus.append(TOPICS.runs, outgoing);
      const last = placed.at(-1);
      if (last !== undefined) await reached(last.position);
    },
    async eventsOf({ events, partition, offsets }) {
      if (events !== null) return [...events];
      const records = await Promise.all(
        offsets.map((offset) => bus.at({ topic: TOPICS.runs, partition, offset })),
      );
      return records.flatMap((record) => (record === null ? [] : [readRunEvent(record.value)]));
    },
    finished: reader.finished,
    stop: () => reader.stop(),
  };
}
