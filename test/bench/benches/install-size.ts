/** The size on disk of what `npm ci` installs. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { stated } from '../measure/compare.ts';
import type { Row } from '../row.ts';

const ROOT = join(import.meta.dirname, '../../../node_modules');

export async function installSize(): Promise<Row[]> {
  return [stated('size of node_modules', 'MB', [bytesIn(ROOT) / 1e6])];
}

/**
 * Returns the size in bytes of a folder. Links are not followed, because they lead to workspaces, which npm does not
 * install.
 */
function bytesIn(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += bytesIn(path);
    else if (entry.isFile()) bytes += lstatSync(path).size;
  }
  return bytes;
}
