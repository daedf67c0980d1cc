/** The repository as data, so that the rules can be tried on one that is made up. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package.json that is not in node_modules. `folder` is '' for the root, else a path without a slash at its end. */
export type Workspace = {
  folder: string;
  name: string;
  dependencies: readonly string[];
  devDependencies: readonly string[];
};

/** Paths from the root, with `/`. */
export type Tree = { workspaces: readonly Workspace[]; files: ReadonlyMap<string, string> };

type Manifest = {
  name: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
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
        dependencies: Object.keys(manifest.dependencies ?? {}),
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
 * Every file, except those in node_modules and in folders with names that begin with a dot. Paths from `root`, with `/`.
 */
export function pathsBelow(root: string): string[] {
  return [...walk(root, '')];
}

function* walk(root: string, folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    if (entry.name === 'node_modules' || entry.name.startsWith('.')) continue;
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* walk(root, path);
    else if (entry.isFile()) yield path;
  }
}

/** The innermost workspace that a file lies in. */
export function workspaceOf(tree: Tree, path: string): Workspace {
  const holders = tree.workspaces.filter(({ folder }) => folder === '' || path.startsWith(`${folder}/`));
  const [first, ...others] = holders;
  if (first === undefined) throw new Error(`${path} lies in no workspace`);
  return others.reduce((inner, next) => (next.folder.length > inner.folder.length ? next : inner), first);
}

/** What only tests run: tests, what they share or start (contract suites, arbitraries, fixtures), benches. */
export function isForTests(path: string): boolean {
  return (
    /^(test|packages\/testing)\//.test(path) ||
    /(\.(test|bench|fixture)|\/contract|\/arbitrary-[a-z-]+|(^|\/)vitest\.config)\.ts$/.test(path) ||
    /\/(contract|system)\//.test(path)
  );
}

/** Where the environment is read and clients are made. */
export function isEntryPoint(path: string): boolean {
  return path.endsWith('/main.ts') || path.startsWith('scripts/');
}
