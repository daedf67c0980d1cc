/**
 * The shared ledger comes back from the log. From `beginRebuild` on nobody decides; then a record on every partition of
 * the decisions topic begins the new epoch, and the log is folded:
 *
 *   before that record   is in the fold, whoever wrote it and however late
 *   behind it            a decision of an older epoch is void, for the fold as for every reader; one of the new epoch is
 *                        made by the ledger that is loaded here, which knows it already. What operators did before and
 *                        is on the log only now is told by its id, should it come twice
 *
 * So nothing is counted twice and nothing is left out. Whoever is overtaken by another meanwhile cannot finish.
 */
import type { Bus } from '@mandate/bus';
import type { RedisLedger } from '@mandate/ledger';
import type { Clock, Logger } from '@mandate/runtime';
import { foldBehindSnapshot } from './fold-log.ts';
import { appendEpoch } from './ledger-epoch.ts';

export type RebuildOptions = {
  bus: Bus;
  ledger: Pick<RedisLedger, 'epoch' | 'beginRebuild'>;
  clock: Clock;
  log: Logger;
  snapshotPath?: string;
};

/** How long the others wait for one that died. */
const LEASE_MS = 20_000;

/** One need of a rebuild, however many tries it takes. */
export type RebuildTry = {
  /** The same in all tries: the lease that a failed one still holds is then no obstacle. */
  readonly epoch: string;
  /** The epoch that was found wanting: where a later one is in force, and well, none is needed any more. */
  readonly wanting: string;
  /** Whether the log may hold a record that begins this epoch. */
  announced: boolean;
  readonly signal?: AbortSignal;
};

/**
 * Throws what the ledger and the log throw: LEDGER_UNAVAILABLE while another rebuild is under way, or when another has
 * overtaken this one; LEDGER_EPOCH_CHANGED when another has brought the ledger back.
 */
export async function rebuildLedger(
  { bus, ledger, clock, log, snapshotPath: path }: RebuildOptions,
  attempt: RebuildTry,
): Promise<void> {
  const { epoch, wanting, signal } = attempt;
  const startedMs = performance.now();
  const previous = ledger.epoch || null;
  const rebuild = await ledger.beginRebuild({ epoch, wanting, leaseMs: LEASE_MS });
  log.warn({ epoch, previous }, 'the ledger is being rebuilt from the log');
  // Whoever was held up here, and overtaken, must not begin an epoch on the log.
  await rebuild.renew();
  attempt.announced = true;
  const reason = 'the shared ledger was rebuilt from the log';
  await appendEpoch(bus, clock, { id: epoch, previous, reason });
  await rebuild.renew();

  let renewedMs = performance.now();
  const onProgress = async () => {
    signal?.throwIfAborted();
    if (performance.now() - renewedMs < LEASE_MS / 4) return;
    await rebuild.renew();
    renewedMs = performance.now();
  };
  const { fold, records } = await foldBehindSnapshot(bus, log, { path }, onProgress);
  await rebuild.load(fold.state);
  await rebuild.finish();
  log.warn({ epoch, records, tookMs: Math.round(performance.now() - startedMs) }, 'the ledger is rebuilt');
}
