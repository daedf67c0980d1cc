/**
 * Profiles: the planes that a person has logged in to, each with its addresses and API key. One JSON file in the
 * person's config folder contains them. Only the owner may read the file. A file that others may read is refused.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { platform } from 'node:os';
import { dirname, join } from 'node:path';
import { textOfFile } from '@mandate/runtime';
import { z } from 'zod';
import type { ProgramContext } from '../command-context.ts';
import { WrongUse } from '../exit-codes.ts';

const profile = z.strictObject({
  url: z.string(),
  queryUrl: z.string().optional(),
  alerterUrl: z.string().optional(),
  controlUrl: z.string().optional(),
  runnerUrl: z.string().optional(),
  key: z.string(),
});
const file = z.strictObject({ version: z.literal(1), profiles: z.record(z.string(), profile) });

export type Profile = z.output<typeof profile>;
export type Profiles = Readonly<Record<string, Profile>>;

/** The profile that is used if a command names none. */
export const DEFAULT_PROFILE = 'default';

/** Returns the path of the file. Null if the environment has no home folder. */
function profilesPath({ XDG_CONFIG_HOME, HOME, APPDATA }: ProgramContext['env']): string | null {
  const folder = XDG_CONFIG_HOME || (HOME && join(HOME, '.config')) || APPDATA;
  return folder ? join(folder, 'mandate', 'profiles.json') : null;
}

/** Throws a failure if others may read the file, or if it contains no profiles. No file means no profiles. */
export function readProfiles(env: ProgramContext['env']): Profiles {
  const path = profilesPath(env);
  if (path === null) return {};
  const found = statOf(path);
  if (found === undefined) return {};
  if ((found.mode & 0o077) !== 0 && platform() !== 'win32')
    throw new WrongUse(`other users may read ${path}, which has API keys`, `Run: chmod 600 ${path}`);
  try {
    // The object has no prototype. Otherwise the profile name `constructor` would find a function.
    return Object.assign(
      Object.create(null),
      file.parse(JSON.parse(textOfFile(readFileSync(path)))).profiles,
    );
  } catch {
    throw new WrongUse(`${path} cannot be read as profiles`, 'Remove it, and run `mandate login`.');
  }
}

/** Replaces the whole file, and returns its path. The file is removed if there are no profiles. */
export function writeProfiles(env: ProgramContext['env'], profiles: Profiles): string {
  const path = profilesPath(env);
  if (path === null)
    throw new WrongUse('there is no config folder to keep a login in', 'Set HOME or XDG_CONFIG_HOME.');
  if (Object.keys(profiles).length === 0) {
    rmSync(path, { force: true });
    return path;
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const unfinished = `${path}.${randomUUID()}`;
  writeFileSync(unfinished, `${JSON.stringify({ version: 1, profiles }, null, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, path);
  return path;
}

/** Returns undefined if the file does not exist, or if this user may not read its folder. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') return undefined;
    throw error;
  }
}
