/** Whether the generated files on disk are what the sources would generate now. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { GeneratedFile } from './generated-file.ts';

/** An outdated file. `text` is its correct content, or null if the file must not exist. */
export type StaleFile = { path: string; text: string | null };

/**
 * Compares the files below `root`. In a folder named `generated`, a file that is not generated counts as outdated
 * too.
 */
export async function findStale(root: string, files: readonly GeneratedFile[]): Promise<StaleFile[]> {
  const stale: StaleFile[] = [];
  for (const { path, make } of files) {
    const text = await make();
    if (text !== textOf(join(root, path))) stale.push({ path, text });
  }
  const made = new Set(files.map(({ path }) => path));
  const folders = new Set([...made].map(dirname).filter((folder) => folder.endsWith('/generated')));
  for (const folder of folders) {
    const left = namesIn(join(root, folder)).map((name) => `${folder}/${name}`);
    stale.push(...left.filter((path) => !made.has(path)).map((path) => ({ path, text: null })));
  }
  return stale;
}

export function writeStale(root: string, stale: readonly StaleFile[]): void {
  for (const { path, text } of stale) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    if (text === null) rmSync(file);
    else writeFileSync(file, text);
  }
}

function textOf(file: string): string | null {
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
