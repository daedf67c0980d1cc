/** Reads which names a file declares, imports and exports. */
import { parseSync } from 'oxc-parser';
import { isNode, type Node, nameOf, nodes, sourceOf } from './syntax.ts';

/** A name of another file: `name` of `source`. If `source` is null, a name of the same file. */
export type Named = { source: string | null; name: string };

/** Every export of a file. */
export const ALL = '*';

export type ModuleNames = {
  text: string;
  statements: readonly Node[];
  comments: readonly { value: string; start: number; end: number }[];
  /** The declarations of a name, each with its statement. A function with several signatures has several. */
  declared: Map<string, { node: Node; statement: Node }[]>;
  imported: Map<string, Named>;
  exported: Map<string, Named>;
  /** The files of `export * from`, as the file names them. */
  stars: readonly string[];
};

/** @throws Error if the text is not valid TypeScript */
export function readModuleNames(path: string, text: string): ModuleNames {
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const statements = program.body as unknown as Node[];
  const names: ModuleNames = {
    text,
    statements,
    comments,
    declared: new Map(),
    imported: new Map(),
    exported: new Map(),
    stars: statements.filter(isStar).flatMap((statement) => sourceOf(statement) ?? []),
  };
  for (const statement of statements) readStatement(names, statement);
  return names;
}

/** True for `export * from`. */
export function isStar({ type }: Node): boolean {
  return type === 'ExportAllDeclaration';
}

function readStatement({ declared, imported, exported }: ModuleNames, statement: Node): void {
  const source = sourceOf(statement);
  if (statement.type === 'ImportDeclaration') {
    for (const specifier of nodes(statement.specifiers))
      imported.set(nameOf(specifier.local), { source, name: importedName(specifier) });
    return;
  }
  for (const specifier of nodes(statement.specifiers))
    exported.set(nameOf(specifier.exported), { source, name: nameOf(specifier.local) });
  const isExport = statement.type === 'ExportNamedDeclaration';
  const declaration = isExport ? statement.declaration : statement;
  if (!isNode(declaration)) return;
  const variables = nodes(declaration.declarations);
  for (const node of variables.length > 0 ? variables : [declaration]) {
    if (!isNode(node.id)) continue;
    const name = nameOf(node.id);
    declared.set(name, [...(declared.get(name) ?? []), { node, statement }]);
    if (isExport) exported.set(name, { source: null, name });
  }
}

function importedName(specifier: Node): string {
  if (specifier.type === 'ImportSpecifier') return nameOf(specifier.imported);
  return specifier.type === 'ImportNamespaceSpecifier' ? ALL : 'default';
}
