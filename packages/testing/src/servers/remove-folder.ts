import { rm } from 'node:fs/promises';

/** The data of a server that has ended: a child of it that was writing some may outlive it for a moment. */
export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
