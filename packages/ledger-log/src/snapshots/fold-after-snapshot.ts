/** Folds the log after its newest usable snapshot, or from its start if there is no snapshot. */
import { type Bus, newestUsable, type Snapshots, type StoredSnapshot, usable } from '@mandate/bus';
import { createFold, type Fold, readSnapshot, readSnapshotHead } from '@mandate/ledger';
import type { Logger } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import { digestOf, type FoldedLog, foldOnto, type OnProgress } from '../fold-log.ts';

export type SnapshotHead = ReturnType<typeof readSnapshotHead>;

/** The number of lines of a snapshot that are read between two calls of `onProgress`. */
const LINES_A_STEP = 1_000;

/**
 * Returns the fold. Its `records` counts the records after the snapshot. A broken snapshot or store never stops the
 * fold, because a snapshot is used completely or not at all.
 */
export async function foldAfterSnapshot(
  { bus, log, snapshots }: { bus: Bus; log: Logger; snapshots?: Snapshots | undefined },
  onProgress?: OnProgress,
): Promise<FoldedLog> {
  const fold = snapshots && (await newestFold(bus, log, snapshots, onProgress));
  return foldOnto(fold ?? createFold(), bus, onProgress);
}

async function newestFold(
  bus: Bus,
  log: Logger,
  snapshots: Snapshots,
  onProgress: OnProgress = () => {},
): Promise<Fold | null> {
  try {
    for await (const stored of snapshots.newestFirst()) {
      await onProgress(0);
      const fold = await usable(stored, log, async () => {
        if ((await headOfThisLog(bus, stored)) === null) return null;
        return readSnapshot(inSteps(stored.lines(), onProgress));
      });
      if (fold !== null) return fold;
    }
  } catch (error) {
    // This call throws if the rebuild was stopped or overtaken.
    await onProgress(0);
    log.warn({ err: error }, 'snapshots cannot be read; the log is folded from its start');
  }
  return null;
}

/** Returns the head of the newest snapshot that seems usable, and does not read its content. */
export function newestHead(bus: Bus, log: Logger, snapshots: Snapshots): Promise<SnapshotHead | null> {
  return newestUsable(snapshots, log, (stored) => headOfThisLog(bus, stored));
}

/**
 * Returns the head of the snapshot, or null if the snapshot belongs to another log. It compares the last record in
 * the snapshot with the log. A difference means that the log was deleted, or restored from a backup and continued.
 */
async function headOfThisLog(bus: Bus, stored: StoredSnapshot): Promise<SnapshotHead | null> {
  const head = readSnapshotHead(await stored.head());
  for (const [partition, offset] of head.positions) {
    const record = await bus.at({ topic: TOPICS.decisions, partition, offset });
    if (record === null || digestOf(record.value) !== head.digests.get(partition)) return null;
  }
  return head;
}

async function* inSteps(lines: AsyncIterable<string>, onProgress: OnProgress): AsyncGenerator<string> {
  let count = 0;
  for await (const line of lines) {
    if (count % LINES_A_STEP === 0) await onProgress(0);
    count += 1;
    yield line;
  }
}
