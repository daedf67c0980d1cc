/**
 * Gives a server its own clock, which can be moved while the server runs. Debian's libfaketime is preloaded, and
 * reads the time difference from a file once a second. Only the time of day moves, as on a machine with a corrected
 * clock.
 */
import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type InstalledProgram, installedProgram } from '../installed-program.ts';
import { MissingServerError } from '../missing-server.ts';

const LIBRARY = 'faketime/libfaketime.so.1';
const OR_INSTALL = 'install faketime';

let found: Promise<InstalledProgram> | undefined;

/** @throws MissingServerError if faketime and apt-get are both missing */
export function installedFaketime(): Promise<InstalledProgram> {
  found ??= installedProgram({
    name: 'faketime',
    versionOption: '--version',
    versionIn: (told) => /Version (\d+\.\d+\.\d+)/.exec(told)?.[1],
    orInstall: OR_INSTALL,
  });
  return found;
}

export type MovableClock = {
  /** The environment in which the server must start. */
  readonly env: Readonly<Record<string, string>>;
  /** Sets how far the clock is ahead of this machine's clock; 0 means equal. Takes effect within two seconds. */
  move(aheadMs: number): Promise<void>;
};

/** @param folder the folder of the server */
export async function movableClock(folder: string): Promise<MovableClock> {
  const file = join(folder, 'clock');
  const move = (aheadMs: number) => writeFile(file, `${aheadMs < 0 ? '' : '+'}${aheadMs / 1_000}\n`);
  await move(0);
  return {
    env: {
      // jemalloc needs the time while libfaketime starts, and libfaketime needs memory from jemalloc. Neither could
      // start, so Redis uses the C library's allocator.
      LD_PRELOAD: `${await libraryPath()} libc_malloc_debug.so.0`,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      DONT_FAKE_MONOTONIC: '1',
    },
    move,
  };
}

async function libraryPath(): Promise<string> {
  const { LD_LIBRARY_PATH = '' } = (await installedFaketime()).env;
  const ofMachine = (await readdir('/usr/lib')).map((name) => join('/usr/lib', name));
  const folders = [...LD_LIBRARY_PATH.split(':'), ...ofMachine];
  const path = folders.map((each) => join(each, LIBRARY)).find((each) => existsSync(each));
  if (path === undefined) throw new MissingServerError(`there is no ${LIBRARY} here: ${OR_INSTALL}`);
  return path;
}
