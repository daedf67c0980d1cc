import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DataFolder, makeDataFolder } from '@mandate/runtime';

/** The data folder of a plane; a new one gets a mandates file to begin with, unless the mandates lie elsewhere. */
export function openDataFolder(path: string, mandatesPath: string | undefined): DataFolder {
  const folder = makeDataFolder(path);
  if (mandatesPath !== undefined) return { ...folder, mandates: mandatesPath };
  if (!existsSync(folder.mandates)) {
    const starter = readFileSync(join(import.meta.dirname, 'starter-mandates.yaml'));
    writeFileSync(folder.mandates, starter, { flag: 'wx' });
  }
  return folder;
}
