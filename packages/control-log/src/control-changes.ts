/** Reads and checks the records of the control topic. All readers use this code, so they all read alike. */
import { type LogRecord, recordUnreadable } from '@mandate/bus';
import { inTurns, type Lane, turns } from '@mandate/runtime';
import { type ControlRecord, readControlRecordInSteps, TOPICS } from '@mandate/schemas';

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
 * Yields the changes that the records contain, in turns of the lane. Throws at a record that this version cannot read,
 * because the record may limit what agents may do.
 */
export async function* changesIn(records: readonly LogRecord[], lane: Lane): AsyncGenerator<ControlChange> {
  for (const { position, value } of records) {
    if (position.partition !== PARTITION) continue;
    const change = await inTurns(lane, read(position, value));
    // The caller applies the change at once, which may take as long as reading it.
    if (turns.isOver()) await turns.next(lane);
    yield { change, offset: position.offset, value };
  }
}

function* read(position: LogRecord['position'], value: Uint8Array): Generator<void, ControlRecord> {
  try {
    return yield* readControlRecordInSteps(value);
  } catch (error) {
    throw recordUnreadable(position, error);
  }
}
