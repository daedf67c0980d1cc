/** The package.json of a published package, from the manifests of the workspaces. */
import { nameOf } from './bundle.ts';
import type { Published } from './published.ts';
import { workspaces } from './workspaces.ts';

/**
 * @param imported the npm packages that the built files import
 * @throws Error if no manifest says which version of an imported package is needed
 */
export function publishableManifest(published: Published, imported: ReadonlySet<string>): object {
  const { name, kind, keywords, manifest, oldestNode } = published;
  const { version, description, license, peerDependencies, peerDependenciesMeta } = manifest;
  return {
    name,
    version,
    description,
    keywords,
    license,
    type: 'module',
    engines: { node: `>=${oldestNode.join('.')}` },
    ...(kind === 'library' ? libraryFields(manifest.exports ?? {}) : { bin: { [name]: 'bin.js' } }),
    dependencies: dependencies(published, imported),
    ...(peerDependencies && { peerDependencies, peerDependenciesMeta }),
  };
}

function libraryFields(subpaths: Readonly<Record<string, string>>): object {
  const exported = Object.keys(subpaths).map((subpath) => {
    const name = nameOf(subpath);
    return [subpath, { types: `./${name}.d.ts`, default: `./${name}.js` }];
  });
  return {
    sideEffects: false,
    exports: { ...Object.fromEntries(exported), './package.json': './package.json' },
  };
}

/** Returns the imported packages that are no peers, with the range of compatible versions. */
function dependencies({ manifest, name }: Published, imported: ReadonlySet<string>): Record<string, string> {
  const left = new Set([
    ...Object.keys(manifest.peerDependencies ?? {}),
    ...Object.keys(manifest.devDependencies ?? {}),
  ]);
  const needed = [...imported].filter((one) => !left.has(one)).toSorted();
  return Object.fromEntries(needed.map((one) => [one, `^${versionOf(one, name)}`]));
}

function versionOf(library: string, needs: string): string {
  const stated = workspaces.flatMap(({ manifest }) => manifest.dependencies?.[library] ?? []);
  const [version] = stated;
  if (version === undefined) throw new Error(`${needs} imports ${library}, which no workspace depends on`);
  return version;
}
