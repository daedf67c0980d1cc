import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { offsetLost } from '../errors.ts';
import type { LogRecord } from '../port.ts';
import { fetchRecords } from './fetch.ts';
import type { Tail } from './tail.ts';
import type { Partition } from './topics.ts';

type Extent = { startOffset: number; endOffset: number };

/** What each partition holds now, and reading from it without ever jumping over a record. */
export class Bounds {
  readonly #select: StatementSync;
  readonly #tail: Tail;

  constructor(db: DatabaseSync, tail: Tail) {
    this.#tail = tail;
    this.#select = db.prepare('SELECT start_offset, end_offset FROM partitions WHERE id = ?');
  }

  of(partition: Partition): Extent {
    const row = this.#select.get(partition.id);
    return { startOffset: Number(row?.start_offset), endOffset: Number(row?.end_offset) };
  }

  /** The offset that the next record will get, as known when the partition was last read. */
  endOf(partition: Partition): number {
    return this.#tail.endOf(partition.id) ?? this.of(partition).endOffset;
  }

  /** Those for which there may be something to read. Look and wait in one turn of the event loop, as with `Changes.next`. */
  withNews<T extends { place: Partition; next: number }>(cursors: readonly T[]): readonly T[] {
    return this.#tail.holds()
      ? cursors.filter(({ place, next }) => this.#tail.endOf(place.id) !== next)
      : cursors;
  }

  /** What was appended before that time. Append times never fall within a partition, so this is a search by halves. */
  before(partition: Partition, beforeMs: number): Extent {
    const { startOffset, endOffset } = this.of(partition);
    let low = startOffset;
    let high = endOffset;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      // What retention took meanwhile was there before what is left.
      if (Number(partition.selectTime.get(middle)?.appended_at_ms ?? 0) < beforeMs) low = middle + 1;
      else high = middle;
    }
    return { startOffset, endOffset: low };
  }

  /**
   * The records from `wanted` on; empty at the end of the partition. BUS_OFFSET_LOST when retention took the
   * record wanted, or when the log ends before it (an older copy of the file was put in place).
   */
  read(partition: Partition, wanted: number, limit: number, group?: string): LogRecord[] {
    const tail = this.#tail.read(partition.id, wanted, limit);
    if (tail !== null) return tail;
    const records = fetchRecords(partition, wanted, limit);
    if (records[0]?.position.offset === wanted) return records;
    const extent = this.of(partition);
    // Between the two reads another process may have appended the record wanted; it is there the next time.
    if (extent.startOffset <= wanted && wanted <= extent.endOffset) return [];
    const { topic, partition: number } = partition;
    throw offsetLost({ topic, partition: number, wanted, ...extent, ...(group !== undefined && { group }) });
  }
}
