/**
 * A lock that one process holds on a file until it releases the lock or dies. Then the system releases it. Built on
 * SQLite's file lock, because Node has no other lock that ends with the process and with a reboot.
 */
import { DatabaseSync } from 'node:sqlite';
import { folderNotUsable } from './data-folder.ts';
import { MandateError } from './errors.ts';

const SQLITE_BUSY = 5;

/**
 * @param path of the lock file; made when missing, and kept afterwards
 * @param what it protects, for the error
 * @throws MandateError ALREADY_HELD if another process holds it, FOLDER_NOT_USABLE if the file cannot be locked at
 *   all
 */
export function holdExclusively(path: string, what: string): { release(): void } {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { timeout: 0 });
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    db?.close();
    // The error of the database says no more than this, and says it in its own words.
    if (isBusy(error)) {
      throw new MandateError('ALREADY_HELD', `${what} is in use by another process`, {
        remedy: 'Stop that process, speak to it over HTTP, or choose another data directory (--data).',
      });
    }
    throw folderNotUsable(`${what} cannot be locked`, error);
  }
  const held = db;
  return { release: () => held.close() };
}

/** By the primary result code of SQLite: https://www.sqlite.org/rescode.html */
function isBusy(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return false;
  return (error.errcode & 0xff) === SQLITE_BUSY;
}
