/**
 * The log as a ledger has it: every record of the decisions topic, folded.
 */
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

/** A fold, and how many records of which kind went into it. */
export type FoldedLog = { fold: Fold; records: number; decisions: number; settlements: number };

/** Told now and then how many records were read; reading waits for it. What it throws ends the reading. */
export type OnProgress = (records: number) => void | Promise<void>;

/** Called with each record once it is folded. With a callback, records are read whole, which takes twice as long. */
export type OnFolded = (record: DecisionsRecord, log: LogRecord) => void;

/** Everything that is on the decisions topic now, folded. */
export function foldLog(bus: Bus, onProgress?: OnProgress, onFolded?: OnFolded): Promise<FoldedLog> {
  return foldOnto(createFold(), bus, onProgress, onFolded);
}

/** What lies behind the positions of `fold`, folded onto it. */
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
    if ((fold.positions.get(partition) ?? -1) + 1 < endOffset) fold.behind.set(partition, 0);
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
        if (offset + 1 >= (ends.get(partition) ?? 0)) fold.behind.delete(partition);
      }
      await onProgress?.(counted.records);
    },
  });
  try {
    await Promise.race([reader.caughtUp, reader.finished]);
  } finally {
    await reader.stop();
  }
  // Where a broker used the last places for itself.
  fold.behind.clear();
  for (const [partition, value] of last) fold.digests.set(partition, digestOf(value));
  return { fold, ...counted };
}

/** By which a record is known again. */
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
