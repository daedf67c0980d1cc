/**
 * The ledger of a decider. If the settings name a shared ledger, any decider can rebuild it after a loss. Otherwise
 * the ledger is in the memory of this process, rebuilt from the log, and the process holds the data folder.
 */

import { getHeapStatistics } from 'node:v8';
import { type Bus, openSnapshots } from '@mandate/bus';
import { isLedgerNewer, isLedgerShared, type Ledger, openSharedLedger } from '@mandate/ledger';
import { restoreLedger, superviseLedger } from '@mandate/ledger-log';
import {
  type Clock,
  type DataFolder,
  holdExclusively,
  type Logger,
  type Opening,
  sharedByRequests,
} from '@mandate/runtime';
import type { KafkaSettings, RedisSettings } from '@mandate/runtime/settings';
import { TOPICS } from '@mandate/schemas';

export type OpenedLedger = {
  ledger: Ledger;
  /** Accepts any error of the ledger. If the error requires a rebuild, starts a rebuild. */
  requestRebuild(error: unknown): void;
};

/**
 * Holds the data folder if the ledger is in the memory of this process. Then no other process can decide on the log
 * of the folder. Call this before any change in the folder.
 *
 * @throws MandateError ALREADY_HELD, FOLDER_NOT_USABLE
 */
export function holdFolder(settings: RedisSettings, folder: DataFolder, { closing }: Opening): void {
  if (isLedgerShared(settings)) return;
  closing(holdExclusively(folder.lock, `the data folder ${folder.path}`), (lock) => lock.release());
}

/** Opens the ledger. Call `holdFolder` first. */
export async function openLedger(
  settings: RedisSettings &
    KafkaSettings & {
      readonly DECIDER_REPLAY_MEMORY_MS?: number | undefined;
      readonly DECIDER_MOST_REMEMBERED?: number | undefined;
    },
  { bus, folder, clock, log }: { bus: Bus; folder: DataFolder; clock: Clock; log: Logger },
  { closing, running }: Opening,
): Promise<OpenedLedger> {
  const snapshots = openSnapshots(settings, bus, { topic: TOPICS.snapshots, path: folder.snapshot });
  const fromLog = { bus, clock, log, snapshots, replayMemoryMs: settings.DECIDER_REPLAY_MEMORY_MS };
  const shared = await openSharedLedger(settings, log);
  if (shared === null) {
    const mostRemembered = settings.DECIDER_MOST_REMEMBERED ?? mostInHeap();
    const restored = await restoreLedger({ ...fromLog, mostRemembered });
    const ledger = sharedByRequests(restored.ledger);
    closing(ledger, (held) => held.close());
    return { ledger, requestRebuild: () => {} };
  }
  const ledger = closing(shared, (held) => held.close());
  await mustNotBeNewer(ledger);
  const { requestRebuild } = running(superviseLedger({ ...fromLog, ledger }));
  return { ledger, requestRebuild };
}

/**
 * The heap bytes for each remembered delivery. A delivery takes 440 to 480 bytes, or 790 while its action runs
 * (docs/operations.md, How much memory and disk). So deliveries take half of the heap, or four fifths if all actions
 * run. The rest is for other data.
 */
const HEAP_BYTES_EACH = 1_000;

function mostInHeap(): number {
  return Math.floor(getHeapStatistics().heap_size_limit / HEAP_BYTES_EACH);
}

/**
 * Throws if the ledger is newer than this decider. Called before the decider joins the group, because repeated
 * restarts would disturb other deciders.
 */
async function mustNotBeNewer(ledger: Ledger): Promise<void> {
  await ledger.ping().catch((error: unknown) => {
    if (isLedgerNewer(error)) throw error;
  });
}
