/**
 * Where fetched servers lie, once a machine and version: `$XDG_CACHE_HOME/mandate/servers/<what>-<version>`.
 *
 * A folder is made beside its place and renamed into it, so a process that finds it finds it whole: an interrupted
 * download leaves only a `.partial-*` folder, and of two processes that fetch at once the slower one drops its own.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

const SERVERS = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'mandate', 'servers');

/** The folder of that name; null: it is not there. */
export function folderInCache(name: string): string | null {
  const place = join(SERVERS, name);
  return existsSync(place) ? place : null;
}

/** The folder of that name, filled by `fill` when it is not there yet. */
export async function cachedFolder(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const place = join(SERVERS, name);
  if (existsSync(place)) return place;
  console.error(`mandate: fetching ${name} for the tests, once …`);
  await mkdir(SERVERS, { recursive: true });
  const partial = await mkdtemp(join(SERVERS, `.partial-${name}-`));
  try {
    await fill(partial);
    await rename(partial, place);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    // Another process was faster: its folder is as good.
    if (!existsSync(place)) throw error;
  }
  return place;
}
