/**
 * Rebuilds the shared ledger from the log. After `beginRebuild` nothing is decided. Then a record on every
 * partition of the decisions topic begins the new epoch, and the log is folded:
 *
 *   before that record   every record is in the fold, from any writer, even a late one
 *   after that record    a decision of an older epoch is void, for the fold and for every reader. A decision of the new epoch
 *                        is made by the ledger that is loaded here, so the ledger knows it. If an operator's command
 *                        reaches the log late and is there twice, its id identifies the repeat
 *
 * So every record is counted exactly once. If another rebuild overtakes this one, this one cannot finish. If its
 * record reaches the log after the record of the other rebuild, it has no effect, because its generation is lower.
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
  /** The store of snapshots to start from. After a long fold a new snapshot is saved here. */
  snapshots?: Snapshots;
  snapshotAfterRecords?: number;
  /** The replay memory of the settings in milliseconds. If the log names another value, that value counts. */
  replayMemoryMs?: number | undefined;
};

/** Milliseconds that the other processes wait for a rebuilder that died. */
const LEASE_MS = 20_000;

/** A lost ledger, and the facts found by earlier tries to rebuild it. */
export type LostLedger = {
  /** The lost epoch. If a later epoch is in force and the ledger works, no rebuild is needed. */
  lostEpoch: string;
  /** The epoch of the last try. The lease of that try does not block the next try. */
  epoch: string;
  /** True if the log may contain a record of an earlier try. */
  announced: boolean;
  /** The highest generation on the log. The next try must use a higher one. */
  highestOnLog: number;
};

export function lostLedger(lostEpoch: string): LostLedger {
  return { lostEpoch, epoch: '', announced: false, highestOnLog: 0 };
}

/**
 * Resolves when the ledger is ready again. Returns the fold, or null if another process rebuilt the ledger. Throws
 * the errors of the ledger and the log. Throws LEDGER_UNAVAILABLE during another rebuild, after another rebuild has
 * overtaken this one, or if the log contains a newer epoch. Each try has a new epoch and generation, because other
 * rebuilds may have begun in between.
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
    // Reads the log again. Another process may have begun an epoch with a lower generation. For example, a server
    // with a slow clock may have rebuilt the ledger.
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
  // Fails if another rebuild has overtaken this one. Then the record of this rebuild does not reach the log. If this
  // process is delayed after this line, the generation shows readers that its epoch is overtaken.
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
 * Throws if the epoch is not valid on the log, because its decisions would be void. Generations are times of Redis.
 * After a failover to a server with a slow clock, a generation may be too low. Then the next try uses a higher
 * generation.
 */
function mustHold(epoch: string, fold: Fold, lost: LostLedger): void {
  if ([...fold.epochs.values()].every(({ id }) => id === epoch)) return;
  lost.lostEpoch = epoch;
  lost.highestOnLog = highestGeneration(fold);
  throw new MandateError(
    'LEDGER_UNAVAILABLE',
    `The log holds a newer epoch of the ledger than ${epoch}. Decisions of the older epoch would be void.`,
    {
      remedy: 'Nothing is lost. The ledger is rebuilt again, with a higher generation.',
      retryable: true,
    },
  );
}
