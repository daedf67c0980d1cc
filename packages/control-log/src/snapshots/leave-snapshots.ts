/** Takes snapshots in the background, one at a time, so that a process that starts has little to fold. */
import { type Taking, takeControlSnapshot } from './take-snapshot.ts';

export type LeavingSnapshots = {
  /** Tells that this many records are on the log. */
  reached(revision: number): void;
  /** Stops, and aborts a snapshot that is being written. */
  stop(): Promise<void>;
};

/** A failure only causes a warning. The next attempt comes after as many records again. */
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
 * Spreads the attempts of control services that read the same log. Later ones find that a snapshot was already taken.
 */
function apart(afterRecords: number): number {
  return Math.floor((Math.random() * afterRecords) / 4);
}
