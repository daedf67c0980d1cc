import type { Reader, ReaderOptions } from '@mandate/bus';
import { MandateError } from '@mandate/runtime';
import type { LogPorts } from './log-ports.ts';
import type { MemoryLog } from './memory-log.ts';
import { nameOf, type TopicPartition } from './topic-partitions.ts';

/** Reads the partitions by turns, and calls the handler for one batch at a time. */
export class LogReader implements Reader {
  readonly caughtUp: Promise<void>;
  readonly finished: Promise<void>;
  readonly #log: MemoryLog;
  readonly #ports: LogPorts;
  readonly #options: ReaderOptions;
  readonly #cursors: (TopicPartition & { next: number; endAtStart: number })[];
  readonly #caughtUp = Promise.withResolvers<void>();
  readonly #stopping = new AbortController();

  constructor(log: MemoryLog, ports: LogPorts, options: ReaderOptions) {
    const { from, topics } = options;
    this.#log = log;
    this.#ports = ports;
    this.#options = options;
    this.#cursors = topics.flatMap((topic) =>
      log.ranges(topic).map(({ partition, startOffset, endOffset }) => {
        const given = typeof from === 'string' ? undefined : from[nameOf({ topic, partition })];
        const next = from === 'latest' ? endOffset : (given ?? startOffset);
        return { topic, partition, next, endAtStart: endOffset };
      }),
    );
    this.caughtUp = this.#caughtUp.promise;
    this.caughtUp.catch(() => {});
    const over = new MandateError('BUS_CLOSED', 'the reader was stopped', { remedy: 'Read again.' });
    this.finished = this.#run().then(
      () => this.#caughtUp.reject(over),
      (error) => {
        this.#caughtUp.reject(error);
        throw error;
      },
    );
    this.finished.catch(() => {});
  }

  positions() {
    return Object.fromEntries(this.#cursors.map((cursor) => [nameOf(cursor), cursor.next]));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.finished.catch(() => {});
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const { maxBatch = 1_000, onRecords } = this.#options;
    while (!signal.aborted) {
      let found = false;
      for (const cursor of this.#cursors) {
        const records = await this.#ports.call({ do: 'fetch' }, () =>
          this.#log.read(cursor, cursor.next, maxBatch),
        );
        if (signal.aborted) return;
        if (records.length === 0) continue;
        found = true;
        await onRecords(records);
        cursor.next += records.length;
      }
      if (this.#cursors.every(({ next, endAtStart }) => next >= endAtStart)) this.#caughtUp.resolve();
      if (!found) await this.#news(signal);
    }
  }

  #news(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const cancels = this.#cursors.map((cursor) =>
        this.#log.waitFor(cursor, cursor.next, () => this.#ports.post(resolve)),
      );
      const over = () => {
        for (const cancel of cancels) cancel();
        resolve();
      };
      if (signal.aborted) over();
      else signal.addEventListener('abort', over);
    });
  }
}
