/** Copies the repository to a temporary folder, so that a test may change files. Libraries are not copied. */
import { mkdirSync, readdirSync, realpathSync, symlinkSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';

export const ROOT = join(import.meta.dirname, '..');

/**
 * Copies the files without blocking the event loop, because the test may serve proxies at the same time.
 *
 * @param to an existing folder for the copy
 * @param copied the files and folders to copy
 * @param how.tests if false, test files are not copied
 */
export async function copyOfRepository(
  to: string,
  copied: readonly string[],
  { tests = true }: { tests?: boolean } = {},
): Promise<void> {
  for (const name of copied) {
    await cp(join(ROOT, name), join(to, name), {
      recursive: true,
      filter: (path) =>
        !['node_modules', 'dist'].includes(basename(path)) && (tests || !path.endsWith('.test.ts')),
    });
  }
  linkModules(join(ROOT, 'node_modules'), join(to, 'node_modules'), to);
}

/**
 * Makes links in the copy: those of libraries lead to the repository's libraries, and those of Mandate's own packages
 * lead to the copied packages.
 */
function linkModules(from: string, to: string, copy: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    if (name === '@mandate') linkModules(join(from, name), join(to, name), copy);
    else {
      const target = realpathSync(join(from, name));
      const own = relative(ROOT, target);
      const isOwn = !own.startsWith('node_modules') && !own.startsWith('..');
      symlinkSync(isOwn ? join(copy, own) : target, join(to, name));
    }
  }
}
