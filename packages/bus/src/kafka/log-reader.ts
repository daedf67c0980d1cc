import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { type Lane, type Logger, turns } from '@mandate/runtime';
import { closed, offsetLost } from '../errors.ts';
import type { Reader, ReaderOptions } from '../port.ts';
import type { Connection } from './connection.ts';
import { Cursor } from './cursor.ts';
import { Fetcher } from './fetcher.ts';
import type { TopicPartitionRange } from './positions.ts';

const DEFAULT_MAX_BATCH = 1_000;

/**
 * Reads all partitions in turn, with one call of the handler at a time. Fails with BUS_OFFSET_LOST if the log no
 * longer has the next record.
 */
export class LogReader implements Reader {
  readonly caughtUp: Promise<void>;
  readonly finished: Promise<void>;
  readonly #connection: Connection;
  readonly #options: ReaderOptions;
  readonly #fetcher: Fetcher;
  readonly #cursors: { cursor: Cursor; endAtStart: number }[];
  readonly #lane: Lane;
  readonly #stopping = new AbortController();
  readonly #caughtUp = Promise.withResolvers<void>();
  #news = Promise.withResolvers<void>();

  /**
   * @param connection used by this reader only
   * @param ranges the offsets on the log when the reader starts
   * @param look how and how often the reader looks for new partitions
   */
  constructor(
    connection: Connection,
    log: Logger,
    options: ReaderOptions,
    ranges: readonly TopicPartitionRange[],
    look: { rangesNow(): Promise<TopicPartitionRange[]>; everyMs: number },
  ) {
    this.#connection = connection;
    this.#options = options;
    this.#lane = ['readers', options.topics.join()];
    this.#fetcher = new Fetcher(connection, log);
    this.#cursors = ranges.map((range) => ({ cursor: this.#cursorIn(range), endAtStart: range.endOffset }));
    void this.#watchForPartitions(look);
    this.caughtUp = this.#caughtUp.promise;
    // A caller may ignore `caughtUp`, because `finished` also reports a failure. So a rejection needs no handler
    // here.
    this.caughtUp.catch(() => {});
    this.#stopping.signal.addEventListener('abort', () => this.#news.resolve());
    this.finished = this.#run()
      .finally(() => {
        this.#stopping.abort();
        this.#fetcher.stop();
        this.#connection.close();
      })
      .then(
        () => this.#caughtUp.reject(closed()),
        (error) => {
          this.#caughtUp.reject(error);
          throw error;
        },
      );
  }

  positions(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#cursors.map(({ cursor }) => [cursor.name, cursor.position]));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.finished.catch(() => {});
  }

  /** Looks for new partitions. A new partition is read from its start. */
  async #watchForPartitions(look: {
    rangesNow(): Promise<TopicPartitionRange[]>;
    everyMs: number;
  }): Promise<void> {
    const { signal } = this.#stopping;
    for (;;) {
      await pause(look.everyMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      const known = new Set(this.#cursors.map(({ cursor }) => cursor.name));
      const ranges = await look.rangesNow().catch(() => []);
      const fresh = ranges.filter(({ topic, partition }) => !known.has(`${topic}/${partition}`));
      const cursors = fresh.map(({ topic, partition, startOffset }) =>
        this.#cursorAt(topic, partition, startOffset),
      );
      this.#cursors.push(...cursors.map((cursor) => ({ cursor, endAtStart: 0 })));
      if (cursors.length > 0) this.#fetcher.add(cursors);
    }
  }

  #cursorAt(topic: string, partition: number, offset: number): Cursor {
    return new Cursor({ topic, partition, offset }, () => {
      this.#fetcher.nudge();
      this.#news.resolve();
    });
  }

  #cursorIn({ topic, partition, startOffset, endOffset }: TopicPartitionRange): Cursor {
    const { from } = this.#options;
    const offset =
      from === 'latest'
        ? endOffset
        : from === 'earliest'
          ? startOffset
          : (from[`${topic}/${partition}`] ?? startOffset);
    const cursor = this.#cursorAt(topic, partition, offset);
    if (offset < startOffset || offset > endOffset) {
      cursor.fail(offsetLost({ topic, partition, wanted: offset, startOffset, endOffset }));
    }
    return cursor;
  }

  async #run(): Promise<void> {
    // Waits one turn of the event loop. So the caller gets the reader before the first call of its handler.
    await nextTurn();
    const { signal } = this.#stopping;
    this.#fetcher.add(this.#cursors.map(({ cursor }) => cursor));
    while (!signal.aborted) {
      this.#news = Promise.withResolvers();
      let found = false;
      for (const { cursor } of this.#cursors) found = (await this.#advance(cursor)) || found;
      const isBehind = this.#cursors.some(({ cursor, endAtStart }) => cursor.position < endAtStart);
      if (!isBehind && !signal.aborted) this.#caughtUp.resolve();
      if (!found && !signal.aborted) await this.#news.promise;
    }
  }

  /** Hands over the next records of the partition. False if no records are waiting. */
  async #advance(cursor: Cursor): Promise<boolean> {
    const { maxBatch = DEFAULT_MAX_BATCH, onRecords } = this.#options;
    if (this.#stopping.signal.aborted) return false;
    const records = cursor.peek(maxBatch);
    const last = records.at(-1);
    if (last === undefined) return false;
    await onRecords(records);
    cursor.moveTo(last.position.offset + 1);
    // Lets other work run first. Otherwise a synchronous handler could block the process for long.
    await turns.next(this.#lane);
    return true;
  }
}
