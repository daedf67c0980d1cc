/**
 * The ledger of a single process comes back from the log: fold every decision, then say on every partition that a new
 * epoch begins. Whoever calls this must be the only one that decides on this log (see `holdExclusively`).
 */
import type { Bus } from '@mandate/bus';
import { createMemoryLedger, highestGeneration, type MemoryLedger } from '@mandate/ledger';
import type { Clock, Logger } from '@mandate/runtime';
import { foldBehindSnapshot } from './fold-log.ts';
import { appendEpoch, newEpoch } from './ledger-epoch.ts';

/** `records` were folded, behind the snapshot if there was one. */
export type Restored = { ledger: MemoryLedger; records: number; tookMs: number };

export async function restoreLedger(options: {
  bus: Bus;
  clock: Clock;
  log: Logger;
  reason?: string;
  /** Where a snapshot is looked for, and left behind when much had to be folded. */
  snapshotPath?: string;
  snapshotAfterRecords?: number;
}): Promise<Restored> {
  const { bus, clock, log, snapshotPath: path, snapshotAfterRecords: afterRecords } = options;
  const startedMs = performance.now();
  const { fold, records } = await foldBehindSnapshot(bus, log, { path, afterRecords });
  const epoch = newEpoch(clock);
  const generation = Math.max(clock(), highestGeneration(fold) + 1);
  await appendEpoch(bus, clock, {
    id: epoch,
    generation,
    previous: fold.epochs.values().next().value?.id ?? null,
    reason: options.reason ?? 'the ledger was restored from the log',
  });
  const ledger = createMemoryLedger({ clock, epoch, generation, state: fold.state, log });
  const tookMs = Math.round(performance.now() - startedMs);
  log.info({ epoch, records, tookMs }, 'the ledger is restored from the log');
  return { ledger, records, tookMs };
}
