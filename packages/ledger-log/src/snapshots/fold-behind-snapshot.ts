/** The log, folded from where the newest snapshot of it ends; from its start where there is none that can be used. */
import { type Bus, newestUsable, type Snapshots, type StoredSnapshot, usable } from '@mandate/bus';
import { createFold, type Fold, readSnapshot, readSnapshotHead } from '@mandate/ledger';
import type { Logger } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import { digestOf, type FoldedLog, foldOnto, type OnProgress } from '../fold-log.ts';

export type SnapshotHead = ReturnType<typeof readSnapshotHead>;

/** So many lines of a snapshot are read before `onProgress` is asked again. */
const LINES_A_STEP = 1_000;

/**
 * `records` of the answer are those behind the snapshot. No snapshot stops this, whatever is wrong with it or with the
 * place where it lies: one is used whole or not at all.
 */
export async function foldBehindSnapshot(
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
    // A rebuild that was stopped or overtaken meanwhile ends here.
    await onProgress(0);
    log.warn({ err: error }, 'snapshots cannot be read; the log is folded from its start');
  }
  return null;
}

/** The head of the newest snapshot that looks usable: what it holds is not read. */
export function newestHead(bus: Bus, log: Logger, snapshots: Snapshots): Promise<SnapshotHead | null> {
  return newestUsable(snapshots, log, (stored) => headOfThisLog(bus, stored));
}

/**
 * null where the log does not hold, at the place where the snapshot ends, what the snapshot has seen there: a log that
 * was deleted, or put back from a backup and written on since.
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
