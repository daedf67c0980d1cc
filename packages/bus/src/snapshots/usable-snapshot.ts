/** Snapshots that cannot be used are passed over: the reader goes on with the one before, or without any. */
import { isMandateError, type Logger } from '@mandate/runtime';
import type { Snapshots, StoredSnapshot } from './port.ts';

/** What `read` makes of the newest that can be used; null where there is none. */
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
 * null, and a warning, where it cannot be read, or is of another log, which `read` says by null. Only a log that is away is
 * for the caller.
 */
export async function usable<T>(
  { name }: StoredSnapshot,
  log: Logger,
  read: () => Promise<T | null>,
): Promise<T | null> {
  try {
    const found = await read();
    if (found === null) log.warn({ snapshot: name }, 'a snapshot is of another log and is passed over');
    return found;
  } catch (error) {
    if (isMandateError(error) && error.retryable) throw error;
    log.warn({ err: error, snapshot: name }, 'a snapshot cannot be read and is passed over');
    return null;
  }
}
