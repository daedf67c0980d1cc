/** Replaces a small file. Every reader gets either the old or the new text, even after a crash at any moment. */
import { promises as fs } from 'node:fs';
import { dirname } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMandateError, MandateError } from './errors.ts';
import { holdExclusively } from './hold-exclusively.ts';

/** Writes `text` beside `path` with mode 600, flushes it to the disk, and then renames it to `path`. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.new`;
  await fs.rm(draft, { force: true });
  const file = await fs.open(draft, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await fs.rename(draft, path);
  // The folder is flushed too, because otherwise a power loss could undo the rename.
  const folder = await fs.open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/**
 * Runs `work` while no other caller, in this or another process, runs work for the same path. The lock ends with its
 * process, so a crash blocks no other process.
 */
export async function withFileLock<T>(path: string, waitMs: number, work: () => Promise<T>): Promise<T> {
  const lock = await takeLock(path, waitMs);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

async function takeLock(path: string, waitMs: number): Promise<{ release(): void }> {
  const deadlineMs = performance.now() + waitMs;
  for (;;) {
    try {
      return holdExclusively(`${path}.lock`, path);
    } catch (cause) {
      if (!isMandateError(cause, 'ALREADY_HELD')) throw cause;
      if (performance.now() < deadlineMs) {
        await sleep(10);
        continue;
      }
      throw new MandateError('KEY_FILE_LOCKED', `another process has been changing ${path} for too long`, {
        remedy: 'Try again, or stop that process.',
        retryable: true,
        cause,
      });
    }
  }
}
