import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DataFolder, makeDataFolder } from '@mandate/runtime';

/**
 * Opens the data folder of a plane. A new folder gets a mandates file, unless a setting names another file. With policy
 * files, the new mandates file allows nothing. Otherwise it is an example to edit.
 */
export function openDataFolder(
  path: string,
  mandatesPath: string | undefined,
  { hasPolicyFiles }: { hasPolicyFiles: boolean },
): DataFolder {
  const folder = makeDataFolder(path);
  if (mandatesPath !== undefined) return { ...folder, mandates: mandatesPath };
  if (!existsSync(folder.mandates)) {
    const starter = hasPolicyFiles
      ? join(import.meta.dirname, 'no-mandates.yaml')
      : join(import.meta.dirname, 'starter-mandates.yaml');
    writeFileSync(folder.mandates, readFileSync(starter), { flag: 'wx' });
  }
  return folder;
}
