/** A disk of its own, in memory, that a test fills. */
import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';

/** Why a test was skipped. */
export const NO_DISK = 'NOT RUN: mounting a disk that can be filled takes root on Linux';

const BLOCK = Buffer.alloc(4_096);

export type SmallDisk = Disposable & {
  readonly path: string;
  /** Takes all the room there is, but for so much. */
  fill(butBytes?: number): void;
  free(): void;
};

/** null where none may be mounted. */
export function smallDisk(mebibytes: number): SmallDisk | null {
  const path = mkdtempSync(join(tmpdir(), 'mandate-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    rmdirSync(path);
    return null;
  }
  const ballast = join(path, 'ballast');
  return {
    path,
    fill(butBytes = 0) {
      const file = openSync(ballast, 'w');
      let bytes = 0;
      try {
        for (;;) bytes += writeSync(file, BLOCK);
      } catch (error) {
        expect(error).toMatchObject({ code: 'ENOSPC' });
        ftruncateSync(file, Math.max(0, bytes - butBytes));
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(ballast),
    [Symbol.dispose]() {
      execFileSync('umount', ['--lazy', path]);
      rmdirSync(path);
    },
  };
}
