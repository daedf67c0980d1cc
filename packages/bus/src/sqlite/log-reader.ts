import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Lane, turns } from '@mandate/runtime';
import { closed } from '../errors.ts';
import type { Reader, ReaderOptions } from '../port.ts';
import type { Bounds } from './bounds.ts';
import { type Changes, partitionChanged } from './changes.ts';
import { untilFree } from './failure.ts';
import type { Partition } from './topics.ts';

type Cursor = { partition: Partition; next: number; endAtStart: number };

const DEFAULT_MAX_BATCH = 1_000;

/**
 * Reads all partitions in turn, with one call of the handler at a time. Fails with BUS_OFFSET_LOST if retention
 * deletes the next record.
 */
export class LogReader implements Reader {
  readonly caughtUp: Promise<void>;
  readonly finished: Promise<void>;
  readonly #bounds: Bounds;
  readonly #changes: Changes;
  readonly #busyWaitMs: number;
  readonly #options: ReaderOptions;
  readonly #cursors: readonly Cursor[];
  readonly #lane: Lane;
  readonly #stopping = new AbortController();
  readonly #caughtUp = Promise.withResolvers<void>();

  constructor(
    parts: { bounds: Bounds; changes: Changes; busyWaitMs: number },
    options: ReaderOptions,
    partitions: readonly Partition[],
  ) {
    this.#bounds = parts.bounds;
    this.#changes = parts.changes;
    this.#busyWaitMs = parts.busyWaitMs;
    this.#options = options;
    this.#lane = ['readers', options.topics.join()];
    this.#cursors = partitions.map((partition) => this.#cursor(partition));
    this.caughtUp = this.#caughtUp.promise;
    // A caller may ignore `caughtUp`, because `finished` also reports a failure. So a rejection needs no handler
    // here.
    this.caughtUp.catch(() => {});
    this.finished = this.#run().then(
      () => this.#caughtUp.reject(closed()),
      (error) => {
        this.#caughtUp.reject(error);
        throw error;
      },
    );
  }

  positions(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#cursors.map(({ partition, next }) => [nameOf(partition), next]));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.finished.catch(() => {});
  }

  #cursor(partition: Partition): Cursor {
    const { from } = this.#options;
    const { startOffset, endOffset } = this.#bounds.of(partition);
    const next =
      from === 'latest'
        ? endOffset
        : from === 'earliest'
          ? startOffset
          : (from[nameOf(partition)] ?? startOffset);
    return { partition, next, endAtStart: endOffset };
  }

  async #run(): Promise<void> {
    // Waits one turn, so that the caller gets the reader before the first call of its handler.
    await nextTurn();
    const { signal } = this.#stopping;
    const news = this.#cursors.map(({ partition }) => partitionChanged(partition.id));
    while (!signal.aborted) {
      let found = false;
      const behindEnd = await untilFree(() => this.#bounds.withNewRecords(this.#cursors), this.#busyWaitMs);
      for (const cursor of behindEnd) found = (await this.#advance(cursor)) || found;
      // This check must come after the reads. If the log does not have a position, its read must fail first.
      const behind = this.#cursors.some(({ next, endAtStart }) => next < endAtStart);
      if (!behind && !signal.aborted) this.#caughtUp.resolve();
      if (!found) await this.#changes.next(news, signal);
    }
  }

  /** Hands over the next records of the partition. False at the end of the partition. */
  async #advance(cursor: Cursor): Promise<boolean> {
    const { maxBatch = DEFAULT_MAX_BATCH, onRecords } = this.#options;
    if (this.#stopping.signal.aborted) return false;
    const records = await untilFree(
      () => this.#bounds.read(cursor.partition, cursor.next, maxBatch),
      this.#busyWaitMs,
    );
    if (records.length === 0) return false;
    await onRecords(records);
    cursor.next += records.length;
    // Lets other work run first. Otherwise a synchronous handler could block the process for long.
    await turns.next(this.#lane);
    return true;
  }
}

function nameOf({ topic, partition }: Partition): string {
  return `${topic}/${partition}`;
}
