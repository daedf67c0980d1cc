import type { DatabaseSync } from 'node:sqlite';
import type { Logger } from '@mandate/runtime';
import type { Bounds } from './bounds.ts';
import type { Tail } from './tail.ts';
import type { Partition, Topics } from './topics.ts';
import type { Writer } from './writer.ts';

/** A group gets a warning when the record at its position has reached this share of the age limit. */
const WARN_AT = 0.8;
/** The number of records deleted in one transaction. It is small, because records may be large. */
const CHUNK = 250;

export type RetentionOptions = {
  /**
   * The age limit of records in milliseconds, by topic. It also applies to topics with names that begin with this name
   * and a dot.
   */
  ageMs: Readonly<Record<string, number>>;
  sweepEveryMs: number;
};

/**
 * Deletes records by age only, as Kafka does, and does not wait for slow groups. Slow groups get warnings first, and
 * BUS_OFFSET_LOST when they read a deleted record.
 */
export class Retention {
  readonly #db: DatabaseSync;
  readonly #writer: Writer;
  readonly #topics: Topics;
  readonly #bounds: Bounds;
  readonly #tail: Tail;
  readonly #options: RetentionOptions;
  readonly #clock: () => number;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(parts: {
    db: DatabaseSync;
    writer: Writer;
    topics: Topics;
    bounds: Bounds;
    tail: Tail;
    options: RetentionOptions;
    clock: () => number;
    log: Logger;
  }) {
    this.#db = parts.db;
    this.#writer = parts.writer;
    this.#topics = parts.topics;
    this.#bounds = parts.bounds;
    this.#tail = parts.tail;
    this.#options = parts.options;
    this.#clock = parts.clock;
    this.#log = parts.log;
  }

  start(): void {
    this.#timer = setTimeout(() => {
      this.#sweeping = this.#sweep()
        .catch((error) => this.#log.warn({ err: error }, 'old records could not be removed; trying again'))
        .finally(() => {
          if (!this.#stopped) this.start();
        });
    }, this.#options.sweepEveryMs).unref();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#sweeping;
  }

  async #sweep(): Promise<void> {
    for (const name of this.#topics.names()) {
      const ageMs = this.#ageOf(name);
      if (ageMs === undefined) continue;
      const { partitions } = await this.#topics.get(name);
      for (const partition of partitions) {
        if (this.#stopped) return;
        this.#warn(partition, this.#bounds.before(partition, this.#clock() - ageMs * WARN_AT).endOffset);
        await this.#remove(partition, this.#bounds.before(partition, this.#clock() - ageMs).endOffset);
      }
    }
  }

  #ageOf(topic: string): number | undefined {
    const names = Object.keys(this.#options.ageMs)
      .filter((name) => topic === name || topic.startsWith(`${name}.`))
      .sort((a, b) => b.length - a.length);
    return names[0] === undefined ? undefined : this.#options.ageMs[names[0]];
  }

  #warn(partition: Partition, soon: number): void {
    const behind = this.#db
      .prepare('SELECT group_name, next_offset FROM positions WHERE partition_id = ? AND next_offset < ?')
      .all(partition.id, soon);
    for (const { group_name: group, next_offset: position } of behind) {
      this.#log.warn(
        { group, topic: partition.topic, partition: partition.partition, position, soon },
        'retention is about to overtake this group',
      );
    }
  }

  async #remove(partition: Partition, before: number): Promise<void> {
    const remove = this.#db.prepare(`DELETE FROM records_${partition.id} WHERE offset < ?`);
    const move = this.#db.prepare('UPDATE partitions SET start_offset = max(start_offset, ?) WHERE id = ?');
    for (let { startOffset } = this.#bounds.of(partition); startOffset < before && !this.#stopped; ) {
      startOffset = Math.min(startOffset + CHUNK, before);
      const until = startOffset;
      await this.#writer.submit(
        () => {
          remove.run(until);
          move.run(until, partition.id);
          this.#tail.forget();
        },
        { records: CHUNK, bytes: 0 },
      );
    }
  }
}
