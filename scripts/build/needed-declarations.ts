/**
 * Finds the declarations that the exports of some entries need, and leaves out all others. Otherwise the types of a
 * package would need every library that any of its files names, even for a declaration that no export uses.
 */
import { ALL, isStar, type ModuleNames, type Named, readModuleNames } from './module-names.ts';
import { isNode, type Node, nameOf, nodes, sourceOf } from './syntax.ts';

type File = ModuleNames & {
  /** The statements with declarations that are needed. */
  kept: Set<Node>;
  /** The local names of the imports, and the exported names, that are needed. */
  keptImports: Set<string>;
  keptExports: Set<string>;
};

/**
 * Returns the text of each file that is needed, without the declarations that are not.
 *
 * @param read returns the text of a file with declarations
 * @param resolve returns the file that an import names, or null if it is no file of this repository
 */
export function neededDeclarations(
  entries: readonly string[],
  read: (file: string) => string,
  resolve: (specifier: string, from: string) => string | null,
): Map<string, string> {
  const files = new Map<string, File>();
  const seen = new Set<string>();

  function open(path: string): File {
    const known = files.get(path);
    if (known !== undefined) return known;
    const file = {
      ...readModuleNames(path, read(path)),
      kept: new Set<Node>(),
      keptImports: new Set<string>(),
      keptExports: new Set<string>(),
    };
    files.set(path, file);
    return file;
  }

  /** Keeps what an export of a file needs. Returns false if the file does not export this name. */
  function needExport(path: string, name: string): boolean {
    const file = open(path);
    const key = `${path} ${name}`;
    if (seen.has(key)) return true;
    const names = name === ALL ? [...file.exported.keys()] : [name];
    const found = names.flatMap((one) => file.exported.get(one) ?? []);
    if (found.length > 0 || name === ALL) seen.add(key);
    for (const one of names) file.keptExports.add(one);
    for (const one of found) need(path, one);
    if (found.length > 0 && name !== ALL) return true;
    const inStars = file.stars.filter((source) => needIn(path, source, name));
    for (const source of inStars) file.keptExports.add(starOf(source));
    return name === ALL || inStars.length > 0;
  }

  function needIn(from: string, source: string, name: string): boolean {
    const target = resolve(source, from);
    return target === null || needExport(target, name);
  }

  function need(path: string, { source, name }: Named): void {
    if (source === null) needLocal(path, name);
    else if (!needIn(path, source, name))
      throw new Error(`${source} does not export ${name}, as ${path} says`);
  }

  function needLocal(path: string, name: string): void {
    const file = open(path);
    const from = file.imported.get(name);
    if (from !== undefined && !file.keptImports.has(name)) {
      file.keptImports.add(name);
      need(path, from);
    }
    for (const { statement } of file.declared.get(name) ?? []) {
      if (file.kept.has(statement)) continue;
      file.kept.add(statement);
      for (const used of namesIn(statement)) {
        if (used.source === null) needLocal(path, used.name);
        else need(path, used);
      }
    }
  }

  for (const entry of entries) needExport(entry, ALL);
  const texts = [...files].map(([path, file]) => [path, textOf(file)] as const);
  return new Map(texts.filter(([, text]) => text !== NOTHING));
}

/** Returns the file without the statements that are not needed. Comments belong to the statement after them. */
function textOf(file: File): string {
  let from = 0;
  const parts = file.statements.map((statement) => {
    const before = file.text.slice(from, statement.start);
    from = statement.end;
    const kept = keptPart(file, statement);
    return kept === null ? '' : before + kept;
  });
  return `${parts.join('').trim()}${NOTHING}`;
}

/** The end of each text. It makes a module of a file that exports nothing. */
const NOTHING = '\nexport {};\n';

/** Returns the part of a statement that is needed, or null if nothing of it is. */
function keptPart({ text, kept, keptImports, keptExports }: File, statement: Node): string | null {
  const written = ({ start, end }: Node) => text.slice(start, end);
  const isKept = isStar(statement) ? keptExports.has(starOf(sourceOf(statement))) : kept.has(statement);
  if (isKept) return written(statement);
  const isImport = statement.type === 'ImportDeclaration';
  const names = nodes(statement.specifiers).filter(({ local, exported }) =>
    isImport ? keptImports.has(nameOf(local)) : keptExports.has(nameOf(exported)),
  );
  if (names.length === 0) return null;
  const list = names.map((name) => written(name).replace(/^type /, '')).join(', ');
  const isList = names[0]?.type === 'ImportSpecifier' || !isImport;
  const from = isNode(statement.source) ? ` from ${written(statement.source)}` : '';
  const isType = isImport || statement.exportKind === 'type';
  return `${isImport ? 'import' : 'export'} ${isType ? 'type ' : ''}${isList ? `{ ${list} }` : list}${from};`;
}

/** Returns the names that a declaration uses: of other declarations, and of `import('file').name`. */
function namesIn(value: unknown): Named[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isNode(value)) return [];
  const inside = Object.values(value).flatMap(namesIn);
  // The name of a parameter or a variable contains its type.
  if (value.type === 'Identifier') return [{ source: null, name: nameOf(value) }, ...inside];
  if (value.type !== 'TSImportType') return inside;
  const name = isNode(value.qualifier) ? leftmost(value.qualifier) : ALL;
  return [...inside, { source: sourceOf(value), name }];
}

function leftmost(name: Node): string {
  return isNode(name.left) ? leftmost(name.left) : nameOf(name);
}

/** Returns the name under which `export * from` is kept. */
function starOf(source: string | null): string {
  return `* ${source}`;
}
