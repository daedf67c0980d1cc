/**
 * The shared ledger comes back from the log. From `beginRebuild` on nothing is decided; then a record on every partition
 * of the decisions topic begins the new epoch, and the log is folded:
 *
 *   before that record   every record is in the fold, from any writer and however late
 *   after that record    a decision of an older epoch is void, for the fold as for every reader; one of the new epoch is
 *                        made by the ledger that is loaded here, which knows it already. What operators did before and
 *                        is on the log only now is told by its id, should it come twice
 *
 * So nothing is counted twice and nothing is left out. A rebuild that another one overtakes cannot finish; and its
 * record, if it comes onto the log after the record of the other, begins nothing, because its generation is the lower
 * one.
 */
import type { Bus, Snapshots } from '@mandate/bus';
import { type Fold, highestGeneration, type RedisLedger } from '@mandate/ledger';
import { type Clock, isMandateError, type Logger, MandateError } from '@mandate/runtime';
import type { FoldedLog } from './fold-log.ts';
import { appendEpoch, newEpoch, sayMemory } from './ledger-epoch.ts';
import { foldBehindSnapshot } from './snapshots/fold-behind-snapshot.ts';

export type RebuildOptions = {
  bus: Bus;
  ledger: Pick<RedisLedger, 'epoch' | 'beginRebuild'>;
  clock: Clock;
  log: Logger;
  /** Where one is looked for, and left behind when much had to be folded. */
  snapshots?: Snapshots;
  snapshotAfterRecords?: number;
  /** Asked for; what holds is on the log. */
  replayMemoryMs?: number | undefined;
};

/** How long the others wait for one that died. */
const LEASE_MS = 20_000;

/** One need of a rebuild, and what its tries have come to know. */
export type Need = {
  /** The epoch that was found wanting: where a later one is in force, and well, none is needed any more. */
  wanting: string;
  /** What the last try began: the lease that it may still hold is no obstacle to the next. */
  epoch: string;
  /** Whether the log may hold a record of a try. */
  announced: boolean;
  /** The highest generation that was found on the log. */
  above: number;
};

export function needOf(wanting: string): Need {
  return { wanting, epoch: '', announced: false, above: 0 };
}

/**
 * Resolves once the ledger is back, also if another process rebuilt it. Returns what was folded, or null if another
 * process did. Throws what the ledger and the log throw: LEDGER_UNAVAILABLE while another rebuild is under way, when
 * another has overtaken this one, or when the log holds a newer epoch. Each try has an epoch and a generation of its own:
 * between two of them others may have begun.
 */
export async function rebuildLedger(
  options: RebuildOptions,
  need: Need,
  signal?: AbortSignal,
): Promise<FoldedLog | null> {
  try {
    return await tryToRebuild(options, need, signal);
  } catch (error) {
    if (!isMandateError(error, 'LEDGER_EPOCH_CHANGED')) throw error;
    if (!need.announced) return null;
    // Another process may have begun an epoch on the log meanwhile, with a generation below this one: a server with a
    // slow clock, or a program from before there were generations, may have rebuilt the ledger.
    const { fold } = await foldBehindSnapshot(options, () => signal?.throwIfAborted());
    mustHold(options.ledger.epoch, fold, need);
    return null;
  }
}

async function tryToRebuild(options: RebuildOptions, need: Need, signal?: AbortSignal): Promise<FoldedLog> {
  const { bus, ledger, clock, log, replayMemoryMs } = options;
  const startedMs = performance.now();
  const previous = ledger.epoch || null;
  const { wanting, above, epoch: insteadOf } = need;
  const epoch = newEpoch(clock);
  const rebuild = await ledger.beginRebuild({ epoch, wanting, above, insteadOf, leaseMs: LEASE_MS });
  need.epoch = epoch;
  const { generation } = rebuild;
  log.warn({ epoch, generation, previous }, 'the ledger is being rebuilt from the log');
  // Spares the log what is known to be overtaken. Who is held up behind this is told from the generations there.
  await rebuild.renew();
  need.announced = true;
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
  const folded = await foldBehindSnapshot(options, onProgress);
  const { fold, records } = folded;
  mustHold(epoch, fold, need);
  sayMemory(fold.state, replayMemoryMs, log);
  await rebuild.load(fold.state);
  await rebuild.finish();
  log.warn({ epoch, records, tookMs: Math.round(performance.now() - startedMs) }, 'the ledger is rebuilt');
  return folded;
}

/**
 * What is decided in an epoch that does not hold on the log is void. Generations are times of Redis: one that failed over
 * to a server with a slow clock may give a generation that is too low, and then the next try takes a higher one.
 */
function mustHold(epoch: string, fold: Fold, need: Need): void {
  if ([...fold.epochs.values()].every(({ id }) => id === epoch)) return;
  need.wanting = epoch;
  need.above = highestGeneration(fold);
  throw new MandateError(
    'LEDGER_UNAVAILABLE',
    `The log holds a newer epoch of the ledger than ${epoch}: what is decided in that would be void.`,
    {
      remedy: 'Nothing is lost: it is rebuilt once more, above what the log holds.',
      retryable: true,
    },
  );
}
