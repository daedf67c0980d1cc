/** Another build of Mandate: the sources of this one with something changed, in a folder of its own. */
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';

const ROOT = join(import.meta.dirname, '../..');
const SOURCES = ['packages', 'services', 'schemas', 'infra', 'package.json'];
const SCOPE = '@mandate';

export type Change = { file: string; from: string; to: string };

/** @returns its root */
export function anotherBuild(...changes: readonly Change[]): string {
  const root = temporaryFolder();
  for (const source of SOURCES) {
    cpSync(join(ROOT, source), join(root, source), {
      recursive: true,
      filter: (path) => basename(path) !== 'node_modules' && !path.endsWith('.test.ts'),
    });
  }
  const installed = join(ROOT, 'node_modules');
  mkdirSync(join(root, 'node_modules', SCOPE), { recursive: true });
  for (const name of readdirSync(installed)) {
    if (name !== SCOPE) symlinkSync(join(installed, name), join(root, 'node_modules', name));
  }
  // Its own packages, by the same relative paths.
  for (const name of readdirSync(join(installed, SCOPE))) {
    symlinkSync(readlinkSync(join(installed, SCOPE, name)), join(root, 'node_modules', SCOPE, name));
  }
  for (const { file, from, to } of changes) change(join(root, file), from, to);
  return root;
}

function change(path: string, from: string, to: string): void {
  const source = readFileSync(path, 'utf8');
  if (!source.includes(from)) throw new Error(`${path} no longer holds "${from}"`);
  writeFileSync(path, source.replace(from, to));
}
