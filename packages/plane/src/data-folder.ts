import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DataFolder, makeDataFolder } from '@mandate/runtime';

/**
 * Opens the data folder of a plane. A new folder gets a starter mandates file, unless a setting names another file.
 */
export function openDataFolder(path: string, mandatesPath: string | undefined): DataFolder {
  const folder = makeDataFolder(path);
  if (mandatesPath !== undefined) return { ...folder, mandates: mandatesPath };
  if (!existsSync(folder.mandates)) {
    const starter = readFileSync(join(import.meta.dirname, 'starter-mandates.yaml'));
    writeFileSync(folder.mandates, starter, { flag: 'wx' });
  }
  return folder;
}
