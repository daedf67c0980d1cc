import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { offsetLost } from '../errors.ts';
import type { LogRecord } from '../port.ts';
import { fetchRecords } from './fetch.ts';
import type { Tail } from './tail.ts';
import type { Partition } from './topics.ts';

type Extent = { startOffset: number; endOffset: number };

/** Knows the offset range of each partition, and reads records without skipping any. */
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

  /** Returns the offset that the next record will get. The value comes from the last read of the partition. */
  endOf(partition: Partition): number {
    return this.#tail.endOf(partition.id) ?? this.of(partition).endOffset;
  }

  /**
   * Returns the cursors that may have new records. Call this method and `Changes.next` in the same turn of the event
   * loop. Otherwise a change in between is missed.
   */
  withNewRecords<T extends { partition: Partition; next: number }>(cursors: readonly T[]): readonly T[] {
    return this.#tail.holds()
      ? cursors.filter(({ partition, next }) => this.#tail.endOf(partition.id) !== next)
      : cursors;
  }

  /**
   * Returns the range of the records that were appended before the time. Append times never decrease in a partition,
   * so a binary search is enough.
   */
  before(partition: Partition, beforeMs: number): Extent {
    const { startOffset, endOffset } = this.of(partition);
    let low = startOffset;
    let high = endOffset;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      // If the record is missing, retention has deleted it. Then it was older than all remaining records.
      if (Number(partition.selectTime.get(middle)?.appended_at_ms ?? 0) < beforeMs) low = middle + 1;
      else high = middle;
    }
    return { startOffset, endOffset: low };
  }

  /**
   * Returns the records from `wanted` on. Empty at the end of the partition. Throws BUS_OFFSET_LOST if retention
   * deleted the wanted record, or if the log ends before the wanted record because an older copy of the file was
   * restored.
   */
  read(partition: Partition, wanted: number, limit: number, group?: string): LogRecord[] {
    const tail = this.#tail.read(partition.id, wanted, limit);
    if (tail !== null) return tail;
    const records = fetchRecords(partition, wanted, limit);
    if (records[0]?.position.offset === wanted) return records;
    const extent = this.of(partition);
    // The offset is within the range. If another process appended the record after this read, the next call finds it.
    if (extent.startOffset <= wanted && wanted <= extent.endOffset) return [];
    const { topic, partition: number } = partition;
    throw offsetLost({ topic, partition: number, wanted, ...extent, ...(group !== undefined && { group }) });
  }
}
