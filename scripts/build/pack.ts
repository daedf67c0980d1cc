import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Packs a built package into a tarball, as `npm publish` does. Returns the path of the tarball. */
export function pack(built: string, into: string): string {
  mkdirSync(into, { recursive: true });
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', into];
  const packed: unknown = JSON.parse(execFileSync('npm', args, { cwd: built, encoding: 'utf8' }));
  return join(into, tarballIn(packed));
}

/** npm 11 lists the packages, and later versions give an object with the package's name. */
function tarballIn(packed: unknown): string {
  const [one] = Object.values(packed as Record<string, { filename: string }>);
  if (one === undefined) throw new Error('npm packed nothing');
  return one.filename;
}
