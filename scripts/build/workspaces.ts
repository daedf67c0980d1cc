/** The packages of this repository as their manifests describe them, and the files that their exports name. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

export type Manifest = {
  name: string;
  version: string;
  description: string;
  license: string;
  workspaces?: readonly string[];
  exports?: Readonly<Record<string, string>>;
  dependencies?: Readonly<Record<string, string>>;
  optionalDependencies?: Readonly<Record<string, string>>;
  devDependencies?: Readonly<Record<string, string>>;
  peerDependencies?: Readonly<Record<string, string>>;
  peerDependenciesMeta?: Readonly<Record<string, { optional?: boolean }>>;
};

/** A package of this repository. `folder` is its absolute path. */
export type Workspace = { folder: string; manifest: Manifest };

export const workspaces: readonly Workspace[] = (readManifest(ROOT).workspaces ?? [])
  .flatMap((pattern) => globSync(`${pattern}/package.json`, { cwd: ROOT }))
  .map((path) => dirname(join(ROOT, path)))
  .map((folder) => ({ folder, manifest: readManifest(folder) }));

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** Returns the package that an import names: `@scope/name` for `@scope/name/sub`, and `name` for `name/sub`. */
export function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/**
 * Returns the file that `from` imports by this specifier, if it is a file of this repository. Returns null for modules
 * of Node and of npm packages.
 */
export function ownFile(specifier: string, from: string): string | null {
  if (specifier.startsWith('.')) return join(dirname(from), specifier);
  const name = packageOf(specifier);
  const own = workspaces.find(({ manifest }) => manifest.name === name);
  if (own === undefined) return null;
  const target = own.manifest.exports?.[`.${specifier.slice(name.length)}`];
  if (target === undefined || !existsSync(join(own.folder, target)))
    throw new Error(`${from} imports ${specifier}, which ${name} does not export`);
  return join(own.folder, target);
}
