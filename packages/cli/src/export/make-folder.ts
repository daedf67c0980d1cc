import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CommandFailure } from '../exit-codes.ts';

/**
 * Makes a folder, and those above it that are missing. One by one: Node's own way of making all of them never ends where
 * one that is there takes none, as under /proc.
 *
 * @throws CommandFailure where there is something else, or where no folder can be made
 */
export async function makeFolder(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory()) return;
  if (found !== null) throw new CommandFailure(2, `${path} is no folder`, ANOTHER);
  const above = dirname(path);
  if (above !== path) await makeFolder(above);
  await mkdir(path).catch((error: NodeJS.ErrnoException) => {
    // Made by somebody else meanwhile.
    if (error.code === 'EEXIST') return;
    throw new CommandFailure(2, `the folder ${path} cannot be made: ${error.message}`, ANOTHER);
  });
}

const ANOTHER = 'Name a folder with --out that is there, or that you may make.';
