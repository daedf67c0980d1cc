import type { DatabaseSync, StatementSync } from 'node:sqlite';

/**
 * Where a partition ends. Offsets are dense, and the append time never runs backwards: not in a partition, and not from
 * one partition to another, or what is appended after the clock was set back would be taken for long overdue.
 */
type Head = { endOffset: number; lastAppendMs: number };

/**
 * The ends of the partitions written in the transaction at hand: read once, moved in memory by each append, saved
 * once before the commit. Between transactions nothing is remembered, since other processes append as well.
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

  /** Takes the next offset of the partition, and its time. */
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
