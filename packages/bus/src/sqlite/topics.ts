import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Logger } from '@mandate/runtime';
import { misused } from '../errors.ts';
import { untilFree } from './failure.ts';
import type { Writer } from './writer.ts';

/** One partition of a topic: its row in `partitions`, and its separate table of records. */
export type Partition = {
  id: number;
  topic: string;
  partition: number;
  insert: StatementSync;
  /** Parameters: the first wanted offset, and the maximum number of rows. */
  select: StatementSync;
  /** Parameter: the offset. */
  selectTime: StatementSync;
};

export type Topic = { name: string; partitions: readonly Partition[] };

export type PartitionCounts = { byDefault: number; byTopic: Readonly<Record<string, number>> };

/**
 * The topics of the file. A topic is created at its first use, with the configured number of partitions. After that
 * the number in the file counts. Another number would send a key to another partition and break its order.
 */
export class Topics {
  readonly #db: DatabaseSync;
  readonly #writer: Writer;
  readonly #counts: PartitionCounts;
  readonly #busyWaitMs: number;
  readonly #log: Logger;
  readonly #known = new Map<string, Promise<Topic>>();

  constructor(db: DatabaseSync, writer: Writer, counts: PartitionCounts, busyWaitMs: number, log: Logger) {
    this.#db = db;
    this.#writer = writer;
    this.#counts = counts;
    this.#busyWaitMs = busyWaitMs;
    this.#log = log;
  }

  get(name: string): Promise<Topic> {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const opened = this.#open(name);
    this.#known.set(name, opened);
    opened.catch(() => this.#known.delete(name));
    return opened;
  }

  /** Returns the names of all topics in the file, including topics that other processes created. */
  names(): string[] {
    return this.#db
      .prepare('SELECT DISTINCT topic FROM partitions ORDER BY topic')
      .all()
      .map((row) => String(row.topic));
  }

  async #open(name: string): Promise<Topic> {
    // Accepts only names that Kafka allows, so that a log can move to Kafka.
    if (!/^[A-Za-z0-9._-]{1,249}$/.test(name)) throw misused(`${JSON.stringify(name)} cannot name a topic`);
    const configured = this.#counts.byTopic[name] ?? this.#counts.byDefault;
    if (!Number.isSafeInteger(configured) || configured < 1)
      throw misused(`${name} cannot have ${configured} partitions`);
    let ids = await untilFree(() => this.#ids(name), this.#busyWaitMs);
    if (ids.length === 0) ids = await this.#writer.submit(() => this.#create(name, configured));
    if (ids.length !== configured) {
      this.#log.warn(
        { topic: name, configured, partitions: ids.length },
        'the topic keeps the partitions it has',
      );
    }
    return { name, partitions: ids.map((id, partition) => this.#prepare(id, name, partition)) };
  }

  #ids(name: string): number[] {
    return this.#db
      .prepare('SELECT id FROM partitions WHERE topic = ? ORDER BY partition')
      .all(name)
      .map((row) => Number(row.id));
  }

  #create(name: string, count: number): number[] {
    const made = this.#ids(name);
    if (made.length > 0) return made;
    const insert = this.#db.prepare('INSERT INTO partitions (topic, partition) VALUES (?, ?) RETURNING id');
    return Array.from({ length: count }, (_, partition) => {
      const id = Number(insert.get(name, partition)?.id);
      this.#db.exec(`CREATE TABLE records_${id} (
        offset INTEGER PRIMARY KEY, appended_at_ms INTEGER NOT NULL, key TEXT, headers TEXT, value BLOB NOT NULL
      ) STRICT`);
      return id;
    });
  }

  #prepare(id: number, topic: string, partition: number): Partition {
    const insert = this.#db.prepare(`INSERT INTO records_${id} VALUES (?, ?, ?, ?, ?)`);
    const select = this.#db.prepare(
      `SELECT offset, appended_at_ms, key, headers, value FROM records_${id} WHERE offset >= ? ORDER BY offset LIMIT ?`,
    );
    const selectTime = this.#db.prepare(`SELECT appended_at_ms FROM records_${id} WHERE offset = ?`);
    return { id, topic, partition, insert, select, selectTime };
  }
}
