/** Makes the JavaScript of a published package: the workspaces that it needs are inside, npm packages are not. */
import { join, relative } from 'node:path';
import { type OutputChunk, rolldown } from 'rolldown';
import { filesBesideModules } from './files-beside-modules.ts';
import { PROGRAM_ENTRY, type Published } from './published.ts';
import { ownFile, packageOf, ROOT } from './workspaces.ts';

/** The entry files of a package, by the path of the published file without its extension. */
export function entriesOf({ folder, kind, manifest }: Published): Record<string, string> {
  if (kind === 'program') {
    const main = join(folder, PROGRAM_ENTRY);
    return { [withoutExtension(relative(ROOT, main))]: main };
  }
  return Object.fromEntries(
    Object.entries(manifest.exports ?? {}).map(([subpath, file]) => [nameOf(subpath), join(folder, file)]),
  );
}

/** Returns the name of a subpath's files: `index` for `.`, and `openai` for `./openai`. */
export function nameOf(subpath: string): string {
  return subpath === '.' ? 'index' : subpath.slice('./'.length);
}

/**
 * Writes the files to `out`, and returns them.
 *
 * A program keeps the folders of the repository, so that its modules find their threads and data files. The modules of
 * a library are joined, because a few files load faster than hundreds.
 */
export async function bundle(
  published: Published,
  out: string,
  { minify = false }: { minify?: boolean } = {},
): Promise<OutputChunk[]> {
  const isProgram = published.kind === 'program';
  const build = await rolldown({
    input: entriesOf(published),
    cwd: ROOT,
    platform: 'node',
    external: (specifier) => isExternal(specifier, published),
    transform: { target: `node${published.oldestNode.join('.')}` },
    plugins: [filesBesideModules(out, { keepsFolders: isProgram })],
    onLog(level, log) {
      // A module may be loaded later by one mode, and at once by another.
      if (level === 'warn' && log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') throw new Error(log.message);
    },
  });
  const { output } = await build.write({
    dir: out,
    format: 'esm',
    minify,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    ...(isProgram && { preserveModules: true, preserveModulesRoot: ROOT }),
  });
  return output.filter((file): file is OutputChunk => file.type === 'chunk');
}

/** Returns the npm packages that built files import, also those that they import later. */
export function librariesOf(chunks: readonly OutputChunk[]): Set<string> {
  const files = new Set(chunks.map(({ fileName }) => fileName));
  const imported = chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]);
  return new Set(imported.filter((name) => !name.startsWith('node:') && !files.has(name)).map(packageOf));
}

/** Packages of the registry are external. So is a workspace for development, because it is not published. */
function isExternal(specifier: string, { manifest }: Published): boolean {
  if (/^[./]/.test(specifier) || specifier.startsWith('@oxc-project/runtime/')) return false;
  if (manifest.devDependencies?.[packageOf(specifier)] !== undefined) return true;
  return ownFile(specifier, ROOT) === null;
}

function withoutExtension(path: string): string {
  return path.replace(/\.ts$/, '');
}
