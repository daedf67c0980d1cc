import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DataFolder, makeDataFolder } from '@mandate/runtime';

/**
 * Opens the data folder of a plane. A new folder gets a mandates file, unless a setting names another file.
 *
 * @param hasPolicies true if policies and rules say what agents may do. The new mandates file then allows nothing
 */
export function openDataFolder(
  path: string,
  mandatesPath: string | undefined,
  { hasPolicies }: { hasPolicies: boolean },
): DataFolder {
  const folder = makeDataFolder(path);
  if (mandatesPath !== undefined) return { ...folder, mandates: mandatesPath };
  if (!existsSync(folder.mandates)) {
    const name = hasPolicies ? 'no-mandates.yaml' : 'starter-mandates.yaml';
    const starter = readFileSync(join(import.meta.dirname, name));
    writeFileSync(folder.mandates, starter, { flag: 'wx' });
  }
  return folder;
}
