/**
 * Decides when a snapshot is saved. A process saves a snapshot after a long fold. `mandate snapshot` saves a snapshot
 * before any process needs a long fold.
 */
import type { Bus, SavedSnapshot, Snapshots } from '@mandate/bus';
import { deliveriesIn, writeSnapshot } from '@mandate/ledger';
import type { Logger } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import type { FoldedLog, OnProgress } from '../fold-log.ts';
import { foldAfterSnapshot, newestHead, type SnapshotHead } from './fold-after-snapshot.ts';

/** With fewer new records, no snapshot is saved, because folding them takes no longer than the start of a process. */
const AFTER_RECORDS = 50_000;

/**
 * Returns the number of new records that justify a snapshot: at least a quarter of the snapshot's size. So all
 * snapshots together need only a fraction of the log's size, even with many remembered deliveries.
 */
function recordsWorthSnapshot(deliveries: number): number {
  return Math.max(AFTER_RECORDS, Math.ceil(deliveries / 4));
}

export type SavingOptions = {
  snapshots: Snapshots | undefined;
  log: Logger;
  afterRecords?: number | undefined;
  signal?: AbortSignal | undefined;
};

/**
 * Saves a snapshot after a long fold, so that the next process need not repeat the fold. A failure only logs a
 * warning.
 */
export async function saveSnapshotAfterFold(
  { fold, records }: FoldedLog,
  { snapshots, log, afterRecords = recordsWorthSnapshot(deliveriesIn(fold)), signal }: SavingOptions,
): Promise<void> {
  if (snapshots === undefined || records < afterRecords) return;
  try {
    const saved = await snapshots.save(writeSnapshot(fold), signal);
    log.info({ ...saved, records }, 'a snapshot of the ledger is saved');
  } catch (error) {
    if (signal?.aborted) return;
    log.warn({ err: error }, 'no snapshot could be saved; the next fold of the log will take longer');
  }
}

export type Taken = {
  /** The number of records after the newest snapshot, or of all records if there is no snapshot. */
  records: number;
  /** The number of new records that a snapshot needs. */
  afterRecords: number;
  /** The saved snapshot. Null if there were too few records. */
  saved: SavedSnapshot | null;
};

/**
 * Saves a snapshot if the log has enough records after the newest snapshot. Throws the errors of the log and of the
 * snapshot store.
 */
export async function takeSnapshot(
  options: SavingOptions & { bus: Bus; snapshots: Snapshots },
  onProgress?: OnProgress,
): Promise<Taken> {
  const { bus, log, snapshots, signal } = options;
  const head = await newestHead(bus, log, snapshots);
  const afterRecords = options.afterRecords ?? recordsWorthSnapshot(head?.deliveries ?? 0);
  const waiting = await recordsAfter(bus, head);
  if (waiting < afterRecords) return { records: waiting, afterRecords, saved: null };
  const { fold, records } = await foldAfterSnapshot({ bus, log, snapshots }, onProgress);
  return { records, afterRecords, saved: await snapshots.save(writeSnapshot(fold), signal) };
}

/**
 * Returns the number of offsets after the snapshot. This number may exceed the number of records, because some
 * brokers use offsets themselves.
 */
async function recordsAfter(bus: Bus, head: SnapshotHead | null): Promise<number> {
  const ranges = await bus.ranges(TOPICS.decisions);
  return ranges.reduce((sum, { partition, startOffset, endOffset }) => {
    const position = head?.positions.get(partition);
    return sum + endOffset - (position === undefined ? startOffset : position + 1);
  }, 0);
}
