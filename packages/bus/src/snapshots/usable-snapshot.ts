/**
 * Skips snapshots that cannot be used. The reader then continues with the previous snapshot, or without a snapshot.
 */
import { isMandateError, type Logger } from '@mandate/runtime';
import type { Snapshots, StoredSnapshot } from './port.ts';

/** Returns the result of `read` for the newest usable snapshot. Null if no snapshot is usable. */
export async function newestUsable<T>(
  snapshots: Snapshots,
  log: Logger,
  read: (stored: StoredSnapshot) => Promise<T | null>,
): Promise<T | null> {
  for await (const stored of snapshots.newestFirst()) {
    const found = await usable(stored, log, () => read(stored));
    if (found !== null) return found;
  }
  return null;
}

/**
 * Returns null and logs a warning if the snapshot cannot be read, or if `read` returns null because the snapshot
 * belongs to another log. Throws only if the log does not answer.
 */
export async function usable<T>(
  { name }: StoredSnapshot,
  log: Logger,
  read: () => Promise<T | null>,
): Promise<T | null> {
  try {
    const found = await read();
    if (found === null) log.warn({ snapshot: name }, 'a snapshot belongs to another log and is skipped');
    return found;
  } catch (error) {
    if (isMandateError(error) && error.retryable) throw error;
    log.warn({ err: error, snapshot: name }, 'a snapshot cannot be read and is skipped');
    return null;
  }
}
