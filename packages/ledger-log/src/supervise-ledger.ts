/**
 * Keeps the shared ledger ready. It checks the ledger at intervals, and learns from failed steps that Redis lost
 * data. All deciders do this. One of them rebuilds the ledger, and the others wait for it, or until its lease runs
 * out. If newer deciders have taken over the ledger, it ends with LEDGER_NEWER and so does the decider. Otherwise the
 * partitions of this decider would wait, although the newer ones could decide them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isLedgerNewer, LedgerNotReady, type RedisLedger } from '@mandate/ledger';
import { isMandateError, type Running } from '@mandate/runtime';
import { lostLedger, type RebuildOptions, rebuildLedger } from './rebuild-ledger.ts';
import { saveSnapshotAfterFold } from './snapshots/take-snapshot.ts';

export type LedgerSupervisor = Required<Running> & {
  /**
   * Rebuilds the ledger in the background if `error` says that it awaits a rebuild. The caller that got the error
   * tries again.
   */
  requestRebuild(error: unknown): void;
};

const LOOK_EVERY_MS = 1_000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1_000;

export function superviseLedger(
  options: RebuildOptions & { ledger: Pick<RedisLedger, 'epoch' | 'beginRebuild' | 'ping'> },
): LedgerSupervisor {
  const { ledger, log, snapshots, snapshotAfterRecords: afterRecords } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const ended = Promise.withResolvers<void>();
  let rebuilding: Promise<void> | null = null;
  let saving: Promise<unknown> = Promise.resolve();

  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});

  async function rebuildUntilDone(lostEpoch: string): Promise<void> {
    const lost = lostLedger(lostEpoch);
    for (let waitMs = FIRST_WAIT_MS; !signal.aborted; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
      try {
        const folded = await rebuildLedger(options, lost, signal);
        // Saved only after the rebuild, and no caller waits for it, because nothing is decided until the ledger is
        // back.
        if (folded !== null) {
          const left = saveSnapshotAfterFold(folded, { snapshots, log, afterRecords, signal });
          saving = Promise.all([saving, left]);
        }
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (!isMandateError(error) || !error.retryable || isLedgerNewer(error)) throw error;
        log.info({ err: error, waitMs }, 'the ledger is not rebuilt yet');
        await pause(waitMs);
      }
    }
  }

  function requestRebuild(error: unknown): void {
    if (signal.aborted) return;
    if (isLedgerNewer(error)) ended.reject(error);
    if (!(error instanceof LedgerNotReady)) return;
    rebuilding ??= rebuildUntilDone(error.lostEpoch)
      .catch(ended.reject)
      .finally(() => {
        rebuilding = null;
      });
  }

  /** Without this check a plane without requests would never become ready: it gets none because it is not ready. */
  async function watch(): Promise<void> {
    while (!signal.aborted) {
      await ledger.ping().catch(requestRebuild);
      await pause(LOOK_EVERY_MS);
    }
  }

  const watching = watch();
  ended.promise.catch(() => {});
  return {
    requestRebuild,
    async stop() {
      stopping.abort();
      await watching;
      await rebuilding;
      await saving;
      ended.resolve();
    },
    finished: ended.promise,
  };
}
