/**
 * When a snapshot is taken. A process that folded much writes one; `mandate snapshot` takes one before any process has to
 * fold much.
 */
import type { Bus, SavedSnapshot, Snapshots } from '@mandate/bus';
import { deliveriesIn, writeSnapshot } from '@mandate/ledger';
import type { Logger } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import type { FoldedLog, OnProgress } from '../fold-log.ts';
import { foldBehindSnapshot, newestHead, type SnapshotHead } from './fold-behind-snapshot.ts';

/** Folding a tail that is shorter takes no longer than a process does to start. */
const AFTER_RECORDS = 50_000;

/**
 * How long a tail must be to be worth a snapshot: at least a quarter of what that will hold, so that all of them together
 * take a fraction of what the log takes, however much is live.
 */
function worthFrom(deliveries: number): number {
  return Math.max(AFTER_RECORDS, Math.ceil(deliveries / 4));
}

export type Leaving = {
  snapshots: Snapshots | undefined;
  log: Logger;
  afterRecords?: number | undefined;
  signal?: AbortSignal | undefined;
};

/** Where much had to be folded, the next need not fold it again. What goes wrong is warned of, and is no more than that. */
export async function leaveSnapshot(
  { fold, records }: FoldedLog,
  { snapshots, log, afterRecords = worthFrom(deliveriesIn(fold)), signal }: Leaving,
): Promise<void> {
  if (snapshots === undefined || records < afterRecords) return;
  try {
    const saved = await snapshots.save(writeSnapshot(fold), signal);
    log.info({ ...saved, records }, 'a snapshot of the ledger is left behind');
  } catch (error) {
    if (signal?.aborted) return;
    log.warn({ err: error }, 'no snapshot could be left behind; the next fold of the log takes longer');
  }
}

export type Taken = {
  /** Those on the log behind the snapshot that was the newest, or all where there was none. */
  records: number;
  /** How many would have been enough. */
  afterRecords: number;
  /** null: there were not. */
  saved: SavedSnapshot | null;
};

/** Takes a snapshot where enough is on the log behind the newest. Throws what the log and the snapshots' place throw. */
export async function takeSnapshot(
  options: Leaving & { bus: Bus; snapshots: Snapshots },
  onProgress?: OnProgress,
): Promise<Taken> {
  const { bus, log, snapshots, signal } = options;
  const head = await newestHead(bus, log, snapshots);
  const afterRecords = options.afterRecords ?? worthFrom(head?.deliveries ?? 0);
  const behind = await recordsBehind(bus, head);
  if (behind < afterRecords) return { records: behind, afterRecords, saved: null };
  const { fold, records } = await foldBehindSnapshot({ bus, log, snapshots }, onProgress);
  return { records, afterRecords, saved: await snapshots.save(writeSnapshot(fold), signal) };
}

/** Places on the log: some brokers use one now and then for themselves. */
async function recordsBehind(bus: Bus, head: SnapshotHead | null): Promise<number> {
  const ranges = await bus.ranges(TOPICS.decisions);
  return ranges.reduce((sum, { partition, startOffset, endOffset }) => {
    const position = head?.positions.get(partition);
    return sum + endOffset - (position === undefined ? startOffset : position + 1);
  }, 0);
}
