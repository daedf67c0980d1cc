/**
 * Restores the ledger of a single process: folds every decision on the log, then begins a new epoch on every
 * partition. No other process may decide on this log (see `holdExclusively`).
 */
import type { Bus, Snapshots } from '@mandate/bus';
import { createMemoryLedger, highestGeneration, type MemoryLedger, nextReplayMemory } from '@mandate/ledger';
import type { Clock, Logger } from '@mandate/runtime';
import { appendEpoch, newEpoch, warnOfReplayMemory } from './ledger-epoch.ts';
import { foldAfterSnapshot } from './snapshots/fold-after-snapshot.ts';
import { saveSnapshotAfterFold } from './snapshots/take-snapshot.ts';

/** `records`: the number of folded records. Records in the snapshot are not counted. */
export type Restored = { ledger: MemoryLedger; records: number; tookMs: number };

export async function restoreLedger(options: {
  bus: Bus;
  clock: Clock;
  log: Logger;
  reason?: string;
  /** The store of snapshots to start from. After a long fold a new snapshot is saved here. */
  snapshots?: Snapshots;
  snapshotAfterRecords?: number;
  replayMemoryMs?: number | undefined;
  /** The maximum number of remembered deliveries of all tenants together. Default: no limit. */
  mostRemembered?: number;
}): Promise<Restored> {
  const { bus, clock, log, snapshots, snapshotAfterRecords: afterRecords, replayMemoryMs } = options;
  const { mostRemembered } = options;
  const startedMs = performance.now();
  const folded = await foldAfterSnapshot({ bus, log, snapshots });
  // The snapshot is saved before the ledger gets the state, because the ledger changes the state.
  await saveSnapshotAfterFold(folded, { snapshots, log, afterRecords });
  const { fold, records } = folded;
  const epoch = newEpoch(clock);
  const generation = Math.max(clock(), highestGeneration(fold) + 1);
  await appendEpoch(bus, clock, {
    id: epoch,
    generation,
    previous: fold.epochs.values().next().value?.id ?? null,
    replayMemoryMs,
    reason: options.reason ?? 'the ledger was restored from the log',
  });
  fold.state.replayMemoryMs = nextReplayMemory(fold, { replayMemoryMs });
  warnOfReplayMemory(fold.state, replayMemoryMs, log);
  const ledger = createMemoryLedger({
    clock,
    epoch,
    generation,
    state: fold.state,
    ...(mostRemembered !== undefined && { mostRemembered }),
    log,
  });
  const tookMs = Math.round(performance.now() - startedMs);
  log.info({ epoch, records, tookMs }, 'the ledger is restored from the log');
  return { ledger, records, tookMs };
}
