import { rm } from 'node:fs/promises';

/**
 * Removes the data of a server that has ended. The removal may be retried, because a child process may still write
 * for a moment.
 */
export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
