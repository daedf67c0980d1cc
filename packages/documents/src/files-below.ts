import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { unreadableFile } from '@mandate/runtime';

/**
 * Returns the files of a folder and of its subfolders with matching names, in the order of their names. If the path
 * is a file, returns this file. Names that begin with a dot are left out. So a ConfigMap is not read twice: its files
 * are links into a folder `..data`.
 *
 * @throws MandateError FILE_UNREADABLE
 */
export function filesBelow(path: string, name: RegExp): readonly string[] {
  try {
    return statSync(path).isDirectory() ? [...walk(path, name)] : [path];
  } catch (error) {
    throw unreadableFile(path, error);
  }
}

function* walk(folder: string, name: RegExp): Generator<string> {
  const entries = readdirSync(folder, { withFileTypes: true });
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(path, name);
    else if (name.test(entry.name)) yield path;
  }
}
