/** The repository as data, so that the tests can try the rules on a made-up repository. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package.json outside of node_modules. `folder` is '' for the root, otherwise a path without a trailing slash. */
export type Workspace = {
  folder: string;
  name: string;
  /** The dependencies and the peer dependencies. */
  dependencies: readonly string[];
  devDependencies: readonly string[];
};

/**
 * `files` has the text of each file by its path. Paths start at the root of the repository, with `/` as the
 * separator.
 */
export type Tree = { workspaces: readonly Workspace[]; files: ReadonlyMap<string, string> };

type Manifest = {
  name: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
};

export function readTree(root: string): Tree {
  const paths = pathsBelow(root);
  const workspaces = paths
    .filter((path) => path === 'package.json' || path.endsWith('/package.json'))
    .map((path): Workspace => {
      const manifest: Manifest = JSON.parse(readFileSync(join(root, path), 'utf8'));
      return {
        folder: path.slice(0, -'/package.json'.length),
        name: manifest.name,
        dependencies: Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
        devDependencies: Object.keys(manifest.devDependencies ?? {}),
      };
    });
  const sources = paths.filter((path) => path.endsWith('.ts'));
  return {
    workspaces,
    files: new Map(sources.map((path) => [path, readFileSync(join(root, path), 'utf8')])),
  };
}

/**
 * Returns the paths of all files, relative to `root`, with `/`. Files in node_modules and dist are left out, and
 * files in folders with names that begin with a dot.
 */
export function pathsBelow(root: string): string[] {
  return [...walk(root, '')];
}

/** Folders that git ignores: installed and built packages. */
const NO_SOURCES = new Set(['node_modules', 'dist']);

function* walk(root: string, folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    if (NO_SOURCES.has(entry.name) || entry.name.startsWith('.')) continue;
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* walk(root, path);
    else if (entry.isFile()) yield path;
  }
}

/** Returns the innermost workspace that contains a file. */
export function workspaceOf(tree: Tree, path: string): Workspace {
  const holders = tree.workspaces.filter(({ folder }) => folder === '' || path.startsWith(`${folder}/`));
  const [first, ...others] = holders;
  if (first === undefined) throw new Error(`${path} lies in no workspace`);
  return others.reduce((inner, next) => (next.folder.length > inner.folder.length ? next : inner), first);
}

/**
 * True for the files that only tests and benches use: tests, benches, and the code that they share or start (contract
 * suites, arbitraries, fixtures).
 */
export function isForTests(path: string): boolean {
  return (
    /^(test|packages\/testing)\//.test(path) ||
    /(\.(test|bench|fixture)|\/contract|\/arbitrary-[a-z-]+|(^|\/)vitest\.config)\.ts$/.test(path) ||
    /\/(contract|system)\//.test(path)
  );
}

/** True for the files that may read the environment and create clients. */
export function isEntryPoint(path: string): boolean {
  return path.endsWith('/main.ts') || path.startsWith('scripts/');
}
