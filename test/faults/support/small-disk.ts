/** A small disk in memory, which a test can fill. */
import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';

/** The reason for skipping a test. */
export const NO_DISK = 'NOT RUN: mounting a disk that can be filled takes root on Linux';

const BLOCK = Buffer.alloc(4_096);

export type SmallDisk = Disposable & {
  readonly path: string;
  /** Fills the disk, except for `butBytes` bytes. */
  fill(butBytes?: number): void;
  free(): void;
};

/** Returns null if this machine cannot mount a disk. */
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
