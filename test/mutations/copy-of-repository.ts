/** A copy of the repository in a temporary folder, of which a test may change files. Libraries are not copied. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** @param copied the files and folders to copy */
export function copyOfRepository(copied: readonly string[]): string {
  const copy = mkdtempSync(join(tmpdir(), 'mandate-copy-'));
  for (const name of copied) {
    const filter = (path: string) => basename(path) !== 'node_modules';
    cpSync(join(ROOT, name), join(copy, name), { recursive: true, filter });
  }
  linkModules(join(ROOT, 'node_modules'), join(copy, 'node_modules'), copy);
  return copy;
}

/** Libraries are those of the repository; its own packages are those of the copy. */
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
