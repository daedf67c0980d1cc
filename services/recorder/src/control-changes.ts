/**
 * What became of each change of the control topic. That follows from all the changes before it (packages/control/src), so
 * a recorder that takes the partition over folds it from its start, and goes on with that fold while batches follow each
 * other. It is a function of the log alone: whichever recorder lands a record, and however often, its row is the same
 * one.
 */
import { type ControlEvent, type Recorded, recordedChange } from '@mandate/audit';
import { type Bus, type LogRecord, recordUnreadable } from '@mandate/bus';
import { type ControlFold, foldChange, foldControl, type WhatBecame } from '@mandate/control';
import { type ControlRecord, readControlRecord, TOPICS, traceIdIn } from '@mandate/schemas';
import { readBetween } from './read-between.ts';

/** All changes lie there, also where a log made more partitions: records of another partition change nothing. */
const PARTITION = 0;

type Change = { log: LogRecord; record: ControlRecord; became: WhatBecame };

export type ControlChanges = {
  /**
   * The records of a batch, with what became of them.
   *
   * @throws MandateError LOG_UNREADABLE if one of them, or one before them, is unknown to this version: the results of
   * those after it are then unknown
   */
  in(records: readonly LogRecord[], recordedAtMs: number): Promise<Recorded<ControlEvent>[]>;
};

export function controlChanges(bus: Bus): ControlChanges {
  let held: { fold: ControlFold; next: number } | null = null;
  /** The changes of a batch that is tried again. */
  const known = new WeakMap<readonly LogRecord[], readonly Change[]>();

  /**
   * The fold of all before `offset`, taken out of `held`: if the caller fails with it half-way, no fold is left there.
   */
  async function foldBefore(offset: number): Promise<ControlFold> {
    const taken = held;
    held = null;
    if (taken?.next === offset) return taken.fold;
    const fold = foldControl();
    const start = { topic: TOPICS.control, partition: PARTITION, offset: 0 };
    await readBetween(bus, start, offset, (log) => void foldChange(fold, read(log), log.position.offset + 1));
    return fold;
  }

  async function changesIn(records: readonly LogRecord[]): Promise<readonly Change[]> {
    const before = known.get(records);
    if (before !== undefined) return before;
    // Before any of them is folded, so that one which cannot be read leaves the fold where it was.
    const readable = records.map((log) => ({ log, record: read(log) }));
    const fold = await foldBefore(readable[0]?.log.position.offset ?? 0);
    const changes = readable.map(({ log, record }) => ({
      log,
      record,
      became: foldChange(fold, record, log.position.offset + 1),
    }));
    held = { fold, next: changes.at(-1)?.became.revision ?? 0 };
    known.set(records, changes);
    return changes;
  }

  return {
    async in(records, recordedAtMs) {
      if (records[0]?.position.partition !== PARTITION) return [];
      const changes = await changesIn(records);
      return changes.map(({ log: { position, headers }, record, became }) =>
        recordedChange(record, became, { position, recordedAtMs, traceId: traceIdIn(headers) }),
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
