/**
 * The shared ledger comes back from the log. From `beginRebuild` on nobody decides; then a record on every partition of
 * the decisions topic begins the new epoch, and the log is folded up to there:
 *
 *   before that record   is in the fold, whoever wrote it and however late
 *   behind it            of an older epoch: void for every reader; of the new one: decided by the ledger that is loaded
 *                        here, which knows it already
 *
 * So nothing is folded twice and nothing is left out. Whoever is overtaken by another meanwhile cannot finish.
 */
import type { Bus } from '@mandate/bus';
import type { RedisLedger } from '@mandate/ledger';
import type { Clock, Logger } from '@mandate/runtime';
import { foldBehindSnapshot } from './fold-log.ts';
import { appendEpoch, newEpoch } from './ledger-epoch.ts';

export type RebuildOptions = {
  bus: Bus;
  ledger: Pick<RedisLedger, 'epoch' | 'beginRebuild'>;
  clock: Clock;
  log: Logger;
  snapshotPath?: string;
};

/** How long the others wait for one that died. */
const LEASE_MS = 20_000;

/**
 * Throws what the ledger and the log throw: LEDGER_UNAVAILABLE while another rebuild is under way, LEDGER_EPOCH_CHANGED
 * when another has brought the ledger back.
 *
 * @param epoch the same again after a failure: the lease that is still held is then no obstacle
 */
export async function rebuildLedger(
  { bus, ledger, clock, log, snapshotPath: path }: RebuildOptions,
  epoch: string = newEpoch(clock),
  signal?: AbortSignal,
): Promise<void> {
  const startedMs = performance.now();
  const previous = ledger.epoch || null;
  const rebuild = await ledger.beginRebuild({ epoch, leaseMs: LEASE_MS });
  log.warn({ epoch, previous }, 'the ledger is being rebuilt from the log');
  // Whoever was held up here, and overtaken, must not begin an epoch on the log.
  await rebuild.renew();
  const reason = 'the shared ledger was rebuilt from the log';
  const upTo = await appendEpoch(bus, clock, { id: epoch, previous, reason });

  let renewedMs = performance.now();
  const onProgress = async () => {
    signal?.throwIfAborted();
    if (performance.now() - renewedMs < LEASE_MS / 4) return;
    await rebuild.renew();
    renewedMs = performance.now();
  };
  await rebuild.renew();
  const { fold, records } = await foldBehindSnapshot(bus, log, { path }, { upTo, onProgress });
  await rebuild.load(fold.state);
  await rebuild.finish();
  log.warn({ epoch, records, tookMs: Math.round(performance.now() - startedMs) }, 'the ledger is rebuilt');
}
