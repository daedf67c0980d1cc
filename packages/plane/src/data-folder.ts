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
    const starter = hasPolicies
      ? join(import.meta.dirname, 'no-mandates.yaml')
      : join(import.meta.dirname, 'starter-mandates.yaml');
    writeFileSync(folder.mandates, readFileSync(starter), { flag: 'wx' });
  }
  return folder;
}
