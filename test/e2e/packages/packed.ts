/** The published packages as tarballs, and as what `npm install` would make of them. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildPackage } from '../../../scripts/build/build-package.ts';
import { pack } from '../../../scripts/build/pack.ts';
import { PUBLISHED } from '../../../scripts/build/published.ts';
import { ROOT } from '../../copy-of-repository.ts';

export type Packed = { name: string; tarball: string };

/** Builds and packs every published package. */
export async function packAll(folder: string): Promise<Packed[]> {
  const packed: Packed[] = [];
  for (const published of PUBLISHED) {
    const built = join(folder, 'built', published.name);
    await buildPackage(published, built);
    packed.push({ name: published.name, tarball: pack(built, folder) });
  }
  return packed;
}

/**
 * Puts a package into the `node_modules` of a project, with links to the libraries that its manifest names. So the
 * test needs no registry. Returns the folder of the package.
 */
export function installWithoutRegistry({ name, tarball }: Packed, project: string): string {
  const folder = join(project, 'node_modules', name);
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  linkLibraries(Object.keys(dependencies), project);
  return folder;
}

/** Links libraries of this repository into a project. Libraries that the repository does not have are left out. */
export function linkLibraries(libraries: readonly string[], project: string): void {
  for (const library of libraries) {
    const installed = join(ROOT, 'node_modules', library);
    if (!existsSync(installed)) continue;
    const link = join(project, 'node_modules', library);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(installed, link);
  }
}

/** Returns the first code block of a README in this language. */
export function codeBlock(folder: string, language: string): string {
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const [, text = ''] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(readme) ?? [];
  return text;
}
