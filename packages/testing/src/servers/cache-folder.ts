/**
 * The cache of servers for tests, fetched or prepared, one folder for each machine and version:
 * `$XDG_CACHE_HOME/mandate/servers/<what>-<version>`.
 *
 * A folder is filled under another name and then renamed, so a process that finds it finds it complete. An
 * interrupted download leaves only a `.partial-*` folder. If two processes fetch at once, the slower one drops its
 * own folder.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

const SERVERS = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'mandate', 'servers');

/** Returns the path of the cached folder. Null if the folder does not exist. */
export function folderInCache(name: string): string | null {
  const place = join(SERVERS, name);
  return existsSync(place) ? place : null;
}

/** Returns the path of the cached folder. If the folder does not exist, `fill` fills it first. */
export async function cachedFolder(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const place = join(SERVERS, name);
  if (existsSync(place)) return place;
  console.error(`mandate: preparing ${name} for the tests, once …`);
  await mkdir(SERVERS, { recursive: true });
  const partial = await mkdtemp(join(SERVERS, `.partial-${name}-`));
  try {
    await fill(partial);
    await rename(partial, place);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    // If the folder exists, another process was faster, and its folder is complete too.
    if (!existsSync(place)) throw error;
  }
  return place;
}
