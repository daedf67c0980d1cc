/**
 * Keeps the shared ledger ready. All deciders run this supervisor. It checks the ledger at intervals, and failed
 * steps also report lost data. One decider rebuilds the ledger, and the others wait for it until its lease ends. If
 * newer deciders have taken over the ledger, the decider ends with LEDGER_NEWER. Otherwise its partitions would wait,
 * although newer deciders could decide their requests.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isLedgerNewer, LedgerNotReady, type RedisLedger } from '@mandate/ledger';
import { isMandateError, type Running } from '@mandate/runtime';
import { lostLedger, type RebuildOptions, rebuildLedger } from './rebuild-ledger.ts';
import { saveSnapshotAfterFold } from './snapshots/take-snapshot.ts';

export type LedgerSupervisor = Required<Running> & {
  /**
   * Starts a rebuild in the background if `error` says that the ledger needs a rebuild. The caller tries its step
   * again later.
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
        // The snapshot is saved only after the rebuild, because nothing is decided until the ledger is ready. No
        // caller waits for the save.
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

  /**
   * Checks the ledger at intervals. Without these checks an idle plane would never become ready, because it gets no
   * requests before it is ready.
   */
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
