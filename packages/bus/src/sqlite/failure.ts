import { setTimeout as pause } from 'node:timers/promises';
import { unavailable } from '../errors.ts';

// SQLite's primary result codes: https://www.sqlite.org/rescode.html
const BUSY = 5;
const LOCKED = 6;
const PASSING = new Set([BUSY, LOCKED, /* IOERR */ 10, /* FULL */ 13, /* CANTOPEN */ 14]);

/** Returns SQLite's primary result code. Null if the error is not from SQLite. */
function resultCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return null;
  return error.errcode & 0xff;
}

/** True if another process holds the lock. Then SQLite did nothing, so the same call can be repeated. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === BUSY || code === LOCKED;
}

/** Converts an error of SQLite to an error of the port. Returns any other error unchanged. */
export function asBusError(error: unknown): unknown {
  const code = resultCode(error);
  if (code === null) return error;
  const said = error instanceof Error ? error.message : String(error);
  return unavailable(`the log's file does not answer: ${said}`, {
    cause: error,
    retryable: PASSING.has(code),
  });
}

/**
 * Repeats `attempt` while the file is locked. SQLite's own wait would block the event loop, but this function does
 * not. Throws BUS_UNAVAILABLE if the file is still locked after `waitMs`.
 */
export async function untilFree<T>(attempt: () => T, waitMs: number): Promise<T> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw asBusError(error);
      await pause(retryDelayMs());
    }
  }
}

/** Returns a random delay, so that two processes with a lock conflict do not try again at the same moment. */
export function retryDelayMs(): number {
  return 1 + Math.random() * 3;
}
