import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { WrongUse } from '../exit-codes.ts';

/**
 * Makes a folder and its missing parents, one by one. The recursive mkdir of Node never ends if an existing parent
 * accepts no folder, as under /proc.
 *
 * @throws CommandFailure if the path exists and is not a folder, or if the folder cannot be made
 */
export async function makeFolder(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory()) return;
  if (found !== null) throw new WrongUse(`${path} is no folder`, ANOTHER);
  const above = dirname(path);
  if (above !== path) await makeFolder(above);
  await mkdir(path).catch((error: NodeJS.ErrnoException) => {
    // This error means that another process has just created the folder.
    if (error.code === 'EEXIST') return;
    throw new WrongUse(`the folder ${path} cannot be made: ${error.message}`, ANOTHER);
  });
}

const ANOTHER = 'With --out, name an existing folder, or a folder that you may create.';
