/**
 * Takes snapshots in the background, one at a time. With a recent snapshot, a process that starts has few records to
 * read.
 */
import { type Taking, takeControlSnapshot } from './take-snapshot.ts';

export type LeavingSnapshots = {
  /** Reports that the log now has this many records. */
  reached(revision: number): void;
  /** Stops, and aborts a snapshot that is being written. */
  stop(): Promise<void>;
};

/** If a snapshot fails, only a warning is logged. The next attempt comes after `afterRecords` more records. */
export function leaveSnapshots(taking: Omit<Taking, 'signal'> & { afterRecords: number }): LeavingSnapshots {
  const { log, afterRecords } = taking;
  const stopping = new AbortController();
  let latest = 0;
  let lookAt = 0;
  let underWay: Promise<void> | null = null;

  async function take(): Promise<void> {
    try {
      const { saved, nextAt } = await takeControlSnapshot({ ...taking, signal: stopping.signal });
      lookAt = nextAt + apart(afterRecords);
      if (saved !== null) log.info(saved, 'a snapshot of agents, policies and rules is left behind');
    } catch (error) {
      if (stopping.signal.aborted) return;
      lookAt = latest + afterRecords;
      log.warn({ err: error }, 'no snapshot of agents, policies and rules could be left behind');
    }
  }

  function look(): void {
    if (underWay !== null || latest < lookAt || stopping.signal.aborted) return;
    underWay = take().then(() => {
      underWay = null;
      look();
    });
  }

  return {
    reached(revision) {
      latest = revision;
      look();
    },
    async stop() {
      stopping.abort();
      await underWay;
    },
  };
}

/**
 * Spreads the attempts of control services that read the same log. A service that tries later finds that a snapshot
 * was already taken.
 */
function apart(afterRecords: number): number {
  return Math.floor((Math.random() * afterRecords) / 4);
}
