/**
 * Finds the result of each change of the control topic. A result depends on all earlier changes
 * (packages/control/src). So a recorder that takes over the partition first applies all its changes from the start,
 * and keeps the state for later batches. The result depends on the log alone: every recorder inserts the same row,
 * however often.
 */
import { type ControlEvent, type Recorded, recordedChange } from '@mandate/audit';
import { type Bus, type LogRecord, recordUnreadable } from '@mandate/bus';
import { applyRecord, type ChangeOutcome, type ControlFold, foldControl } from '@mandate/control';
import { type ControlRecord, readControlRecord, TOPICS, traceIdIn } from '@mandate/schemas';
import { readBetween } from './read-between.ts';

/**
 * All changes are in this partition, even if the topic has more partitions. Records of another partition change
 * nothing.
 */
const PARTITION = 0;

type Change = { log: LogRecord; record: ControlRecord; outcome: ChangeOutcome };

export type ControlChanges = {
  /**
   * Returns the records of a batch, with the results of their changes.
   *
   * @throws MandateError LOG_UNREADABLE if this version cannot read a record of the batch or an earlier record. The
   *   results of all later changes are then unknown
   */
  in(records: readonly LogRecord[], recordedAtMs: number): Promise<Recorded<ControlEvent>[]>;
};

export function controlChanges(bus: Bus): ControlChanges {
  let held: { fold: ControlFold; next: number } | null = null;
  /** The changes of batches that may be recorded again after an error. */
  const known = new WeakMap<readonly LogRecord[], readonly Change[]>();

  /**
   * Returns the state after all changes before `offset`, and clears `held`. If the caller then fails, `held` has no
   * state that is only partly updated.
   */
  async function foldBefore(offset: number): Promise<ControlFold> {
    const taken = held;
    held = null;
    if (taken?.next === offset) return taken.fold;
    const fold = foldControl();
    const start = { topic: TOPICS.control, partition: PARTITION, offset: 0 };
    await readBetween(
      bus,
      start,
      offset,
      (log) => void applyRecord(fold, read(log), log.position.offset + 1),
    );
    return fold;
  }

  async function changesIn(records: readonly LogRecord[]): Promise<readonly Change[]> {
    const before = known.get(records);
    if (before !== undefined) return before;
    // All records are read before any record is applied. So an unreadable record does not change the state.
    const readable = records.map((log) => ({ log, record: read(log) }));
    const fold = await foldBefore(readable[0]?.log.position.offset ?? 0);
    const changes = readable.map(({ log, record }) => ({
      log,
      record,
      outcome: applyRecord(fold, record, log.position.offset + 1),
    }));
    held = { fold, next: changes.at(-1)?.outcome.revision ?? 0 };
    known.set(records, changes);
    return changes;
  }

  return {
    async in(records, recordedAtMs) {
      if (records[0]?.position.partition !== PARTITION) return [];
      const changes = await changesIn(records);
      return changes.map(({ log: { position, headers }, record, outcome }) =>
        recordedChange(record, outcome, { position, recordedAtMs, traceId: traceIdIn(headers) }),
      );
    },
  };
}

function read({ position, value }: LogRecord): ControlRecord {
  try {
    return readControlRecord(value);
  } catch (error) {
    throw recordUnreadable(position, error);
  }
}
