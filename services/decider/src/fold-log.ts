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

/** Another fold, of some of the records. */
export type FoldBeside = { fold: Fold; takes(record: DecisionsRecord): boolean };

/** Everything that is on the decisions topic now, folded. */
export function foldLog(bus: Bus, onProgress?: OnProgress, beside?: FoldBeside): Promise<FoldedLog> {
  return foldOnto(createFold(), bus, onProgress, beside);
}

/** What lies behind the positions of `fold`, folded onto it. */
export async function foldOnto(
  fold: Fold,
  bus: Bus,
  onProgress?: OnProgress,
  beside?: FoldBeside,
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
        const { event } = foldOne(fold, record, beside);
        last.set(record.coordinate.partition, record.value);
        counted.records++;
        if (event === 'action.decided') counted.decisions++;
        if (event === 'action.settled') counted.settlements++;
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

function foldOne(fold: Fold, { coordinate, value }: LogRecord, beside?: FoldBeside): DecisionsRecord {
  try {
    const record = readDecisionsRecord(value);
    foldRecord(fold, { source: coordinate, record });
    if (beside?.takes(record)) foldRecord(beside.fold, { source: coordinate, record });
    return record;
  } catch (cause) {
    throw recordUnreadable(coordinate, cause);
  }
}
