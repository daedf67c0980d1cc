/**
 * Rebuilds the shared ledger from the log. From `beginRebuild` on nothing is decided. Then a record on every
 * partition of the decisions topic begins the new epoch, and the log is folded:
 *
 *   before that record   every record is in the fold, from any writer and however late
 *   after that record    a decision of an older epoch is void, for the fold and for every reader. A decision of the new epoch
 *                        is made by the ledger that is loaded here, which knows it already. An operator's command
 *                        that reaches the log only now is recognized by its id if it is there twice
 *
 * So nothing is counted twice and nothing is left out. If another rebuild overtakes this one, this one cannot finish.
 * If its record reaches the log after the record of the other, it begins nothing, because its generation is lower.
 */
import type { Bus, Snapshots } from '@mandate/bus';
import { type Fold, highestGeneration, type RedisLedger } from '@mandate/ledger';
import { type Clock, isMandateError, type Logger, MandateError } from '@mandate/runtime';
import type { FoldedLog } from './fold-log.ts';
import { appendEpoch, newEpoch, warnOfReplayMemory } from './ledger-epoch.ts';
import { foldAfterSnapshot } from './snapshots/fold-after-snapshot.ts';

export type RebuildOptions = {
  bus: Bus;
  ledger: Pick<RedisLedger, 'epoch' | 'beginRebuild'>;
  clock: Clock;
  log: Logger;
  /** Snapshots to start from. After a long fold a new one is saved here. */
  snapshots?: Snapshots;
  snapshotAfterRecords?: number;
  /** The replay memory of the settings. The one on the log wins. */
  replayMemoryMs?: number | undefined;
};

/** How long the other processes wait for a rebuilder that died. */
const LEASE_MS = 20_000;

/** A ledger that was lost, and what the tries to rebuild it have found out. */
export type LostLedger = {
  /** The lost epoch. If a later epoch is in force and well, no rebuild is needed any more. */
  lostEpoch: string;
  /** The epoch of the last try. A lease that the try still holds does not stop the next try. */
  epoch: string;
  /** Whether the log may hold a record of a try. */
  announced: boolean;
  /** The highest generation found on the log. The next try must be above it. */
  highestOnLog: number;
};

export function lostLedger(lostEpoch: string): LostLedger {
  return { lostEpoch, epoch: '', announced: false, highestOnLog: 0 };
}

/**
 * Resolves once the ledger is back, also if another process rebuilt it. Returns the fold, or null if another process
 * rebuilt the ledger. Throws the errors of the ledger and the log. Throws LEDGER_UNAVAILABLE while another rebuild is
 * running, if another has overtaken this one, or if the log holds a newer epoch. Each try has its own epoch and
 * generation, because others may have begun between two tries.
 */
export async function rebuildLedger(
  options: RebuildOptions,
  lost: LostLedger,
  signal?: AbortSignal,
): Promise<FoldedLog | null> {
  try {
    return await tryToRebuild(options, lost, signal);
  } catch (error) {
    if (!isMandateError(error, 'LEDGER_EPOCH_CHANGED')) throw error;
    if (!lost.announced) return null;
    // Another process may have begun an epoch on the log meanwhile, with a lower generation than this one. For
    // example, a server with a slow clock or a program without generations may have rebuilt the ledger.
    const { fold } = await foldAfterSnapshot(options, () => signal?.throwIfAborted());
    mustHold(options.ledger.epoch, fold, lost);
    return null;
  }
}

async function tryToRebuild(
  options: RebuildOptions,
  lost: LostLedger,
  signal?: AbortSignal,
): Promise<FoldedLog> {
  const { bus, ledger, clock, log, replayMemoryMs } = options;
  const startedMs = performance.now();
  const previous = ledger.epoch || null;
  const { lostEpoch, highestOnLog, epoch: ownEpoch } = lost;
  const epoch = newEpoch(clock);
  const rebuild = await ledger.beginRebuild({ epoch, lostEpoch, highestOnLog, ownEpoch, leaseMs: LEASE_MS });
  lost.epoch = epoch;
  const { generation } = rebuild;
  log.warn({ epoch, generation, previous }, 'the ledger is being rebuilt from the log');
  // Fails if another rebuild has overtaken this one, so that its record does not reach the log. If this process is
  // delayed after this line, readers see by the generation that its epoch is overtaken.
  await rebuild.renew();
  lost.announced = true;
  const reason = 'the shared ledger was rebuilt from the log';
  await appendEpoch(bus, clock, { id: epoch, generation, previous, replayMemoryMs, reason });
  await rebuild.renew();

  let renewedMs = performance.now();
  const onProgress = async () => {
    signal?.throwIfAborted();
    if (performance.now() - renewedMs < LEASE_MS / 4) return;
    await rebuild.renew();
    renewedMs = performance.now();
  };
  const folded = await foldAfterSnapshot(options, onProgress);
  const { fold, records } = folded;
  mustHold(epoch, fold, lost);
  warnOfReplayMemory(fold.state, replayMemoryMs, log);
  await rebuild.load(fold.state);
  await rebuild.finish();
  log.warn({ epoch, records, tookMs: Math.round(performance.now() - startedMs) }, 'the ledger is rebuilt');
  return folded;
}

/**
 * Throws if the epoch does not hold on the log, because its decisions would be void. Generations are times of Redis.
 * After a failover to a server with a slow clock, a generation may be too low. Then the next try takes a higher one.
 */
function mustHold(epoch: string, fold: Fold, lost: LostLedger): void {
  if ([...fold.epochs.values()].every(({ id }) => id === epoch)) return;
  lost.lostEpoch = epoch;
  lost.highestOnLog = highestGeneration(fold);
  throw new MandateError(
    'LEDGER_UNAVAILABLE',
    `The log holds a newer epoch of the ledger than ${epoch}: what is decided in that would be void.`,
    {
      remedy: 'Nothing is lost: it is rebuilt once more, above what the log holds.',
      retryable: true,
    },
  );
}
