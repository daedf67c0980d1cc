/**
 * A lock that one process holds on a file until it releases the lock or dies. The operating system releases the lock
 * of a dead process. Built on SQLite's file lock, because Node has no other lock that ends with the process.
 */
import { DatabaseSync } from 'node:sqlite';
import { folderNotUsable } from './data-folder.ts';
import { MandateError } from './errors.ts';

const SQLITE_BUSY = 5;

/**
 * @param path the lock file; created when missing, and kept afterwards
 * @param what the thing that the lock protects, for the error
 * @throws MandateError ALREADY_HELD if another process holds the lock, FOLDER_NOT_USABLE if the file cannot be locked
 *   at all
 */
export function holdExclusively(path: string, what: string): { release(): void } {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { timeout: 0 });
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    db?.close();
    // This error replaces the error of the database, which contains no more information.
    if (isBusy(error)) {
      throw new MandateError('ALREADY_HELD', `${what} is in use by another process`, {
        remedy: 'Stop that process, send it requests over HTTP, or choose another data directory (--data).',
      });
    }
    throw folderNotUsable(`${what} cannot be locked`, error);
  }
  const held = db;
  return { release: () => held.close() };
}

/** True if SQLite's primary result code says that the file is locked: https://www.sqlite.org/rescode.html */
function isBusy(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return false;
  return (error.errcode & 0xff) === SQLITE_BUSY;
}
