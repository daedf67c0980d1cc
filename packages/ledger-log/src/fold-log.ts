/** Computes the state of a ledger from all records of the decisions topic. This is called folding. */
import { createHash } from 'node:crypto';
import { type Bus, type LogPosition, type LogRecord, recordUnreadable } from '@mandate/bus';
import { createFold, type Fold, foldRecord } from '@mandate/ledger';
import {
  type DecisionsHead,
  type DecisionsRecord,
  readDecisionsHead,
  readDecisionsRecord,
  TOPICS,
} from '@mandate/schemas';

/** A fold: the state computed from the log, and the number of records of each kind in it. */
export type FoldedLog = { fold: Fold; records: number; decisions: number; settlements: number };

/**
 * Called from time to time with the number of records read. Reading waits for the callback, and ends if the callback
 * throws.
 */
export type OnProgress = (records: number) => void | Promise<void>;

/**
 * Called with each record after it is folded. With this callback, records are parsed completely, which doubles the
 * time.
 */
export type OnFolded = (record: DecisionsRecord, log: LogRecord) => void;

/** Folds all records that are on the decisions topic now. */
export function foldLog(bus: Bus, onProgress?: OnProgress, onFolded?: OnFolded): Promise<FoldedLog> {
  return foldOnto(createFold(), bus, onProgress, onFolded);
}

/** Folds the records after the positions of `fold` into `fold`. */
export async function foldOnto(
  fold: Fold,
  bus: Bus,
  onProgress?: OnProgress,
  onFolded?: OnFolded,
): Promise<FoldedLog> {
  const counted = { records: 0, decisions: 0, settlements: 0 };
  const last = new Map<number, Uint8Array>();
  const ends = new Map<number, number>();
  for (const { partition, endOffset } of await bus.ranges(TOPICS.decisions)) {
    ends.set(partition, endOffset);
    if ((fold.positions.get(partition) ?? -1) + 1 < endOffset) fold.unfinished.set(partition, 0);
  }
  const reader = await bus.read({
    topics: [TOPICS.decisions],
    from: Object.fromEntries(
      [...fold.positions].map(([partition, offset]) => [`${TOPICS.decisions}/${partition}`, offset + 1]),
    ),
    async onRecords(batch) {
      for (const record of batch) {
        const { event } = foldOne(fold, record, onFolded);
        last.set(record.position.partition, record.value);
        counted.records++;
        if (event === 'action.decided') counted.decisions++;
        if (event === 'action.settled') counted.settlements++;
        const { partition, offset } = record.position;
        if (offset + 1 >= (ends.get(partition) ?? 0)) fold.unfinished.delete(partition);
      }
      await onProgress?.(counted.records);
    },
  });
  try {
    await Promise.race([reader.caughtUp, reader.finished]);
  } finally {
    await reader.stop();
  }
  // The last offsets of a partition may have no records, because some brokers use offsets themselves. So all
  // partitions count as read.
  fold.unfinished.clear();
  for (const [partition, value] of last) fold.digests.set(partition, digestOf(value));
  return { fold, ...counted };
}

/** Returns a digest that identifies a record. */
export function digestOf(value: Uint8Array): string {
  return createHash('sha256').update(value).digest('hex');
}

function foldOne(fold: Fold, log: LogRecord, onFolded: OnFolded | undefined): DecisionsHead {
  const { position: source, value } = log;
  if (onFolded === undefined) return folded(fold, source, () => readDecisionsHead(value));
  const record = folded(fold, source, () => readDecisionsRecord(value));
  onFolded(record, log);
  return record;
}

function folded<T extends DecisionsHead>(fold: Fold, source: LogPosition, read: () => T): T {
  try {
    const record = read();
    foldRecord(fold, { source, record });
    return record;
  } catch (cause) {
    throw recordUnreadable(source, cause);
  }
}
