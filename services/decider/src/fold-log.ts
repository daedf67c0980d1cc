/**
 * The log as a ledger has it: every record of the decisions topic, folded.
 */
import { createHash } from 'node:crypto';
import { type Bus, type LogRecord, recordUnreadable } from '@mandate/bus';
import { createFold, type Fold, foldRecord } from '@mandate/ledger';
import { type DecisionsRecord, readDecisionsRecord, TOPICS } from '@mandate/schemas';

/** A fold, and how many records of which kind went into it. */
export type FoldedLog = { fold: Fold; records: number; decisions: number; settlements: number };

/** Told now and then how many records were read; reading waits for it. What it throws ends the reading. */
export type OnProgress = (records: number) => void | Promise<void>;

/** Told of each record once it is folded. */
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
  const reader = await bus.read({
    topics: [TOPICS.decisions],
    from: Object.fromEntries(
      [...fold.positions].map(([partition, offset]) => [`${TOPICS.decisions}/${partition}`, offset + 1]),
    ),
    async onRecords(batch) {
      for (const record of batch) {
        const folded = foldOne(fold, record);
        onFolded?.(folded, record);
        last.set(record.coordinate.partition, record.value);
        counted.records++;
        if (folded.event === 'action.decided') counted.decisions++;
        if (folded.event === 'action.settled') counted.settlements++;
      }
      await onProgress?.(counted.records);
    },
  });
  await Promise.race([reader.caughtUp, reader.finished]);
  await reader.stop();
  for (const [partition, value] of last) fold.digests.set(partition, digestOf(value));
  return { fold, ...counted };
}

/** By which a record is known again. */
export function digestOf(value: Uint8Array): string {
  return createHash('sha256').update(value).digest('hex');
}

function foldOne(fold: Fold, { coordinate, value }: LogRecord): DecisionsRecord {
  try {
    const record = readDecisionsRecord(value);
    foldRecord(fold, { source: coordinate, record });
    return record;
  } catch (cause) {
    throw recordUnreadable(coordinate, cause);
  }
}
