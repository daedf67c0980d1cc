/** Reads what a file uses from outside: its imports of every kind, and the globals that it names. */
import { parseSync } from 'oxc-parser';

/** `specifier` is null if it is computed at run time. `line` counts from 1. */
type Import = { specifier: string | null; line: number };

/**
 * A use of a global: `fetch`, `process.env`, `Date.now`, `new Date()`. A local variable with the name of a global is
 * reported too: it should get another name.
 */
type GlobalUse = { name: string; line: number };

export type Module = { imports: readonly Import[]; globals: readonly GlobalUse[] };

type Node = { type: string; start: number; [field: string]: unknown };

const modules = new Map<string, { text: string; module: Module }>();

/** Returns the imports and globals of a file. All rules ask about every file, so the result is cached. */
export function readModule(path: string, text: string): Module {
  const known = modules.get(path);
  if (known?.text === text) return known.module;
  const module = parsed(path, text);
  modules.set(path, { text, module });
  return module;
}

function parsed(path: string, text: string): Module {
  const { program, errors } = parseSync(path, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path} cannot be parsed: ${error.message}`);
  const imports: Import[] = [];
  const globals: GlobalUse[] = [];
  const lineOf = ({ start }: Node) => text.slice(0, start).split('\n').length;
  visit(program, (node) => {
    const source = sourceOf(node);
    if (isNode(source)) imports.push({ specifier: textOf(source), line: lineOf(node) });
    const name = globalName(node);
    if (name !== null) globals.push({ name, line: lineOf(node) });
  });
  return { imports, globals };
}

/**
 * Visits every node of the syntax tree. Types are skipped, because they do not run. An `import('x')` in a type is not
 * skipped, because the file depends on x.
 */
function visit(value: unknown, look: (node: Node) => void): void {
  if (Array.isArray(value)) {
    for (const element of value) visit(element, look);
    return;
  }
  if (!isNode(value)) return;
  look(value);
  for (const [field, child] of Object.entries(value)) {
    if (isNameOnly(value, field)) continue;
    visit(child, look);
  }
}

function isNode(value: unknown): value is Node {
  return value !== null && typeof value === 'object' && 'type' in value && typeof value.type === 'string';
}

function sourceOf(node: Node): unknown {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return node.source;
    default:
      return null;
  }
}

function textOf(source: Node): string | null {
  if (source.type === 'Literal' && typeof source.value === 'string') return source.value;
  return source.type === 'TSLiteralType' && isNode(source.literal) ? textOf(source.literal) : null;
}

const LABELLED = new Set([
  'Property',
  'PropertyDefinition',
  'MethodDefinition',
  'TSPropertySignature',
  'TSMethodSignature',
]);
const NAMES_ONLY = new Set(['TSTypeReference', 'ImportSpecifier', 'ExportSpecifier']);

/**
 * True if the field is only a label: `fetch` in `a.fetch` and in `{ fetch: 1 }`. Also true for the `a` of `a.fetch`,
 * because `a` is reported together with its field.
 */
function isNameOnly(parent: Node, field: string): boolean {
  if (parent.type === 'MemberExpression') {
    return field === 'property' ? parent.computed === false : memberName(parent) !== null;
  }
  if (parent.type === 'Property' && parent.shorthand === true) return field === 'key';
  if (LABELLED.has(parent.type)) return field === 'key' && parent.computed === false;
  return NAMES_ONLY.has(parent.type) && field !== 'typeArguments';
}

function globalName(node: Node): string | null {
  if (node.type === 'MemberExpression') return memberName(node);
  if (node.type === 'VariableDeclarator') return unpackedName(node);
  if (node.type === 'NewExpression' || node.type === 'CallExpression') {
    const isDate = isNamed(node.callee, 'Date') && Array.isArray(node.arguments);
    const given = isDate && Array.isArray(node.arguments) ? node.arguments.length : 0;
    if (isDate && given === 0) return node.type === 'NewExpression' ? 'new Date()' : 'Date()';
  }
  return node.type === 'Identifier' ? String(node.name) : null;
}

function memberName({ object, property }: Node): string | null {
  if (!isNode(object) || object.type !== 'Identifier' || !isNode(property)) return null;
  const field = property.type === 'Literal' ? property.value : property.name;
  return `${object.name}.${field}`;
}

/**
 * Returns `process.env` for `const { env } = process`. If several fields are unpacked, only the first one is
 * returned.
 */
function unpackedName({ id, init }: Node): string | null {
  if (!isNode(id) || id.type !== 'ObjectPattern' || !isNode(init) || init.type !== 'Identifier') return null;
  const [property] = Array.isArray(id.properties) ? id.properties : [];
  return isNode(property) && isNode(property.key) ? `${init.name}.${property.key.name}` : null;
}

function isNamed(node: unknown, name: string): boolean {
  return isNode(node) && node.type === 'Identifier' && node.name === name;
}
