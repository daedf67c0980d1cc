import type { DatabaseSync, StatementSync } from 'node:sqlite';

/**
 * The end of a partition. Offsets have no gaps. The append time never decreases within a partition, or from one
 * partition to another. Otherwise a new record could look overdue after the clock was set back.
 */
type Head = { endOffset: number; lastAppendMs: number };

/**
 * The ends of the partitions that the running transaction writes. Each end is read once, increased in memory by each
 * append, and saved once before the commit. Nothing is kept between transactions, because other processes append too.
 */
export class Heads {
  readonly #read: StatementSync;
  readonly #save: StatementSync;
  readonly #clock: () => number;
  readonly #moved = new Map<number, Head>();

  constructor(db: DatabaseSync, clock: () => number) {
    this.#read = db.prepare(
      'SELECT end_offset, (SELECT max(last_append_ms) FROM partitions) AS last_append_ms FROM partitions WHERE id = ?',
    );
    this.#save = db.prepare('UPDATE partitions SET end_offset = ?, last_append_ms = ? WHERE id = ?');
    this.#clock = clock;
  }

  /** Returns the next offset of the partition and the append time, and advances the end. */
  take(partitionId: number): { offset: number; appendedAtMs: number } {
    const head = this.#moved.get(partitionId) ?? this.#load(partitionId);
    const offset = head.endOffset;
    head.endOffset += 1;
    return { offset, appendedAtMs: head.lastAppendMs };
  }

  beforeCommit(): void {
    for (const [id, { endOffset, lastAppendMs }] of this.#moved) this.#save.run(endOffset, lastAppendMs, id);
    this.#moved.clear();
  }

  afterRollback(): void {
    this.#moved.clear();
  }

  #load(partitionId: number): Head {
    const row = this.#read.get(partitionId);
    const head = {
      endOffset: Number(row?.end_offset),
      lastAppendMs: Math.max(Number(row?.last_append_ms), Math.floor(this.#clock())),
    };
    this.#moved.set(partitionId, head);
    return head;
  }
}
