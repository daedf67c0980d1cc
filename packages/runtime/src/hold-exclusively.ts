/**
 * A lock that one process holds on a file until it lets go or dies, however it dies: the system releases it. Built on
 * SQLite's file lock, because Node has no other that survives neither the process nor a reboot.
 */
import { DatabaseSync } from 'node:sqlite';
import { MandateError } from './errors.ts';

/**
 * @param path of the lock file; made when missing, and left behind
 * @param what it protects, for the error
 * @throws MandateError ALREADY_HELD when another process holds it
 */
export function holdExclusively(path: string, what: string): { release(): void } {
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (cause) {
    db.close();
    throw new MandateError('ALREADY_HELD', `${what} is in use by another process`, {
      remedy: 'Stop that process, speak to it over HTTP, or choose another data directory (--data).',
      cause,
    });
  }
  return { release: () => db.close() };
}
