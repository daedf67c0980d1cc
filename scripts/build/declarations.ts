/**
 * Makes the declarations of a library. `tsc` writes them for each source file, and imports of unpublished packages
 * become relative paths. The files below `types` have the folders of the repository.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { parseSync } from 'oxc-parser';
import { neededDeclarations } from './needed-declarations.ts';
import { ownFile, packageOf, ROOT } from './workspaces.ts';

/** A specifier in a declaration: `from './a.ts'`, `import("./a.ts")`, or `import './a.ts'`. */
const SPECIFIER = /(\bfrom\s+|\bimport\(\s*|\bimport\s+)(["'])([^"'\n]+)\2/g;

/**
 * Writes `<name>.d.ts` for each entry, and the files that it needs. Returns the npm packages that they import.
 *
 * @param entries the source file of each name
 */
export function writeDeclarations(entries: Readonly<Record<string, string>>, out: string): Set<string> {
  const sources = Object.values(entries);
  const libraries = new Set<string>();
  for (const [source, needed] of neededDeclarations(sources, emit(filesOf(sources)), ownFile)) {
    const text = needed.replace(SPECIFIER, (all, before: string, quote: string, specifier: string) => {
      const target = ownFile(specifier, source);
      if (target !== null) return `${before}${quote}${pathTo(target, source)}${quote}`;
      if (!specifier.startsWith('node:')) libraries.add(packageOf(specifier));
      return all;
    });
    writeText(join(out, 'types', declarationOf(source)), text);
  }
  for (const [name, source] of Object.entries(entries)) {
    const path = `./types/${relative(ROOT, source).replace(/\.ts$/, '.js')}`;
    writeText(join(out, `${name}.d.ts`), `export * from '${path}';\n`);
  }
  return libraries;
}

/** Returns the entries and all files of this repository that they import, also for types only. */
function filesOf(entries: readonly string[]): string[] {
  const found = new Set(entries);
  for (const file of found) {
    if (file.endsWith('.json')) continue;
    const { module } = parseSync(file, readFileSync(file, 'utf8'));
    const named = [
      ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
      ...module.staticExports.flatMap(({ entries }) =>
        entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
      ),
    ];
    for (const specifier of named) {
      const target = ownFile(specifier, file);
      if (target !== null) found.add(target);
    }
  }
  return [...found];
}

/** Returns what reads the declarations of a source file. `npm run check` finds type errors, so `tsc` does not here. */
function emit(files: readonly string[]): (source: string) => string {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-declarations-'));
  try {
    const config = join(folder, 'tsconfig.json');
    const compilerOptions = {
      noEmit: false,
      noCheck: true,
      declaration: true,
      emitDeclarationOnly: true,
      outDir: join(folder, 'out'),
      rootDir: ROOT,
      typeRoots: [join(ROOT, 'node_modules/@types')],
    };
    const settings = {
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions,
      files,
      include: [],
      exclude: [],
    };
    writeFileSync(config, JSON.stringify(settings));
    execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', config], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const texts = new Map(
      files.map((file) => [file, readFileSync(join(folder, 'out', declarationOf(file)), 'utf8')]),
    );
    return (source) => texts.get(source) ?? missing(source);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function missing(source: string): never {
  throw new Error(`A declaration needs ${source}, which no source file imports`);
}

function declarationOf(source: string): string {
  return relative(ROOT, source).replace(/\.ts$/, '.d.ts');
}

function pathTo(target: string, from: string): string {
  const path = relative(dirname(from), target).replace(/\.ts$/, '.js');
  return path.startsWith('.') ? path : `./${path}`;
}

function writeText(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
