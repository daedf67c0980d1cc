/** Another build of Mandate: the sources of this repository with some changes, in another folder. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { copyOfRepository } from '../../copy-of-repository.ts';

const SOURCES = ['packages', 'services', 'schemas', 'infra', 'package.json'];

/** A change of one file: replaces `from`, which the file contains exactly once, or adds a new file. */
export type Change = { file: string; from: string; to: string } | { file: string; text: string };

/** Makes the other build, and returns its root folder. */
export async function anotherBuild(...changes: readonly Change[]): Promise<string> {
  const root = temporaryFolder();
  await copyOfRepository(root, SOURCES, { tests: false });
  for (const change of changes) apply(root, change);
  return root;
}

function apply(root: string, change: Change): void {
  const path = join(root, change.file);
  if ('text' in change) {
    writeFileSync(path, change.text);
    return;
  }
  const { file, from, to } = change;
  const source = readFileSync(path, 'utf8');
  const times = source.split(from).length - 1;
  if (times !== 1) throw new Error(`${file} has "${from}" ${times} times, and not once`);
  writeFileSync(
    path,
    source.replace(from, () => to),
  );
}
