/** The records of the control topic, as every reader takes them. */
import { type LogRecord, recordUnreadable } from '@mandate/bus';
import { type ControlRecord, readControlRecord, TOPICS } from '@mandate/schemas';

/** All records of the topic lie there, also where a log made more partitions of it. */
export const PARTITION = 0;

export function positionOf(offset: number) {
  return { topic: TOPICS.control, partition: PARTITION, offset };
}

/** From the first record that was not read. Never from "the earliest": a log that lost its start is a fault, and not a shorter one. */
export function readFrom(offset: number) {
  return { topics: [TOPICS.control], from: { [`${TOPICS.control}/${PARTITION}`]: offset } };
}

type ControlChange = { change: ControlRecord; offset: number; value: Uint8Array };

/** What this version cannot read may bound what agents may do: nothing is told past it. */
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
