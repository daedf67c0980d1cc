import { setTimeout as pause } from 'node:timers/promises';
import { unavailable } from '../errors.ts';

// SQLite's primary result codes: https://www.sqlite.org/rescode.html
const BUSY = 5;
const LOCKED = 6;
const PASSING = new Set([BUSY, LOCKED, /* IOERR */ 10, /* FULL */ 13, /* CANTOPEN */ 14]);

/** SQLite's primary result code, or null when the error is not SQLite's. */
function resultCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return null;
  return error.errcode & 0xff;
}

/** Another process holds the lock: SQLite did nothing, and the same call may be made again. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === BUSY || code === LOCKED;
}

/** SQLite's error as the port's; any other error as it is. */
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
 * Repeats `attempt` while the file is locked, without blocking the event loop as SQLite's own wait would.
 * BUS_UNAVAILABLE when it is still locked after `waitMs`.
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

/** Uneven, so that processes which collided do not collide again. */
export function retryDelayMs(): number {
  return 1 + Math.random() * 3;
}
