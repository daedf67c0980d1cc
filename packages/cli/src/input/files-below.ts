import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { cannotRead } from './open-input.ts';

/**
 * Of a folder the files of such a name, those below it as well, in the order of their names; of a file that file. What begins
 * with a dot is none of ours: so a ConfigMap, whose files are links into a folder `..data`, is not read twice.
 */
export function filesBelow(path: string, name: RegExp): readonly string[] {
  try {
    return statSync(path).isDirectory() ? [...walk(path, name)] : [path];
  } catch (error) {
    throw cannotRead(path, error);
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
