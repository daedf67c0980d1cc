/** Reads and checks the records of the control topic. All readers use this code, so they all read alike. */
import { type LogRecord, recordUnreadable } from '@mandate/bus';
import { type ControlRecord, readControlRecord, TOPICS } from '@mandate/schemas';

/** The partition with all records of the topic. A log may create more partitions, but they stay empty. */
export const PARTITION = 0;

export function positionOf(offset: number) {
  return { topic: TOPICS.control, partition: PARTITION, offset };
}

/**
 * Reads from the first record that was not read yet. Reading never starts at "the earliest" record: if a log lost its
 * start, that must be an error.
 */
export function readFrom(offset: number) {
  return { topics: [TOPICS.control], from: { [`${TOPICS.control}/${PARTITION}`]: offset } };
}

type ControlChange = { change: ControlRecord; offset: number; value: Uint8Array };

/**
 * Yields the changes that the records contain. Throws at a record that this version cannot read, because the record
 * may limit what agents may do.
 */
export function* changesIn(records: readonly LogRecord[]): Generator<ControlChange> {
  for (const { position, value } of records) {
    if (position.partition !== PARTITION) continue;
    try {
      const change = readControlRecord(value);
      yield { change, offset: position.offset, value };
    } catch (error) {
      throw recordUnreadable(position, error);
    }
  }
}
