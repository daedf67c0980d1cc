/**
 * Puts the temporary folders of tests into memory, on Linux. ClickHouse creates and deletes thousands of files. On
 * some disks (ext4 without a journal), finding a free inode took half of the time of such a test. A full run uses the
 * disk, and so does a run with `TMPDIR`.
 */
import { accessSync, constants, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { TEST_LENGTH } from '@mandate/testing/run-options';

const MEMORY = '/dev/shm';
const PREFIX = 'mandate-tests-';
/**
 * The free memory that is required, in bytes: several times what the tests of one run need at the same time. In a
 * container the folder often has only 64 MiB.
 */
const NEEDED_BYTES = 1024 ** 3;

export default function temporaryInMemory(): void {
  if (TEST_LENGTH !== 'short' || process.env.TMPDIR !== undefined || !hasRoom()) return;
  removeThoseOfEndedRuns();
  const folder = join(MEMORY, `${PREFIX}${process.pid}`);
  mkdirSync(folder, { mode: 0o700 });
  process.env.TMPDIR = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}

function hasRoom(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= NEEDED_BYTES;
  } catch {
    return false;
  }
}

/** Removes the folders of runs that were killed. They would use memory until the machine restarts. */
function removeThoseOfEndedRuns(): void {
  for (const name of readdirSync(MEMORY)) {
    if (!name.startsWith(PREFIX) || isRunning(Number(name.slice(PREFIX.length)))) continue;
    try {
      rmSync(join(MEMORY, name), { recursive: true, force: true });
    } catch {
      // The folder belongs to another user, and only that user can remove it.
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
