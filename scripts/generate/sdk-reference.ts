/**
 * docs/sdk-reference.md: every export of each subpath of the SDK, with its comment and its signature, and the types
 * that the signatures name.
 */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type ModuleNames, readModuleNames } from '../build/module-names.ts';
import { isNode, type Node, nameOf, nodes } from '../build/syntax.ts';
import { ownFile, ROOT, readManifest } from '../build/workspaces.ts';
import type { GeneratedFile } from './generated-file.ts';

const SDK = join(ROOT, 'packages/sdk');

const HEAD = `# Reference of the SDK

This page is generated from the comments of the source by \`npm run generate\`. The [README of the package](../packages/sdk/README.md) explains how to begin.
`;

/** A declaration: its file, and its name there. */
type Declared = { module: ModuleNames; file: string; name: string };

export const sdkReference: GeneratedFile = {
  path: 'docs/sdk-reference.md',
  make: () => {
    const subpaths = Object.entries(readManifest(SDK).exports ?? {});
    return `${HEAD}\n${subpaths.map(([subpath, file]) => chapter(subpath, join(SDK, file))).join('\n')}`;
  },
};

function chapter(subpath: string, file: string): string {
  const exported = exportsOf(file).map(([name, declared]) => ({ name, declared }));
  const used = usedTypes(exported.map(({ declared }) => declared)).map((declared) => ({
    name: declared.name,
    declared,
  }));
  const more = used.length === 0 ? [] : ['### Types that are not exported\n', ...sections(used, '####')];
  return [`## \`@mandate/sdk${subpath.slice(1)}\`\n`, ...sections(exported, '###'), ...more].join('\n');
}

function sections(all: readonly { name: string; declared: Declared }[], level: string): string[] {
  const inOrder = all.toSorted((one, other) => (one.name.toLowerCase() < other.name.toLowerCase() ? -1 : 1));
  return inOrder.map(({ name, declared }) => {
    const signature = signatureOf(declared);
    const comment = commentOf(declared);
    return `${level} ${name}\n\n${comment === '' ? '' : `${comment}\n\n`}\`\`\`ts\n${signature}\n\`\`\`\n${schemaLink(declared, signature)}`;
  });
}

/** Returns the exported names of a file, each with its declaration. */
function exportsOf(file: string): [string, Declared][] {
  const module = read(file);
  return [
    ...[...module.exported.keys()].map((name): [string, Declared] => [name, find(file, name)]),
    ...starsOf(file, module).flatMap(exportsOf),
  ];
}

function find(file: string, name: string): Declared {
  const found = tryFind(file, name);
  if (found === null) throw new Error(`${file} exports ${name}, which no file of the repository declares`);
  return found;
}

function tryFind(file: string, name: string): Declared | null {
  const module = read(file);
  const exported = module.exported.get(name);
  const named = exported?.source == null ? module.imported.get(exported?.name ?? name) : exported;
  if (named !== undefined && named.source !== null) {
    const target = ownFile(named.source, file);
    return target === null ? null : tryFind(target, named.name);
  }
  const local = exported?.name ?? name;
  if (module.declared.has(local)) return { module, file, name: local };
  for (const star of starsOf(file, module)) {
    const found = tryFind(star, name);
    if (found !== null) return found;
  }
  return null;
}

/** Returns the files of this repository that the file exports everything from. */
function starsOf(file: string, { stars }: ModuleNames): string[] {
  return stars.flatMap((source) => ownFile(source, file) ?? []);
}

/** Returns the types of the SDK that signatures name, and the types that those name, without the exported ones. */
function usedTypes(exported: readonly Declared[]): Declared[] {
  const keyOf = ({ file, name }: Declared) => `${file} ${name}`;
  const known = new Set(exported.map(keyOf));
  const found: Declared[] = [];
  const open = [...exported];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    for (const [word] of withoutComments(signatureOf(one)).matchAll(/\b[A-Z]\w+/g)) {
      const isNamed = one.module.declared.has(word) || one.module.imported.has(word);
      const used = isNamed ? tryFind(one.file, word) : null;
      if (used === null || known.has(keyOf(used)) || !used.file.startsWith(SDK)) continue;
      known.add(keyOf(used));
      found.push(used);
      open.push(used);
    }
  }
  return found;
}

function signatureOf({ module, name }: Declared): string {
  const { node } = declarationOf(module, name);
  const written = (from: number, to: number) => module.text.slice(from, to).trim();
  switch (node.type) {
    case 'FunctionDeclaration':
      return `${written(node.start, child(node, 'body').start)};`;
    case 'ClassDeclaration': {
      const body = child(node, 'body');
      const members = nodes(body.body)
        .filter(isPublic)
        .map((member) => memberOf(module, member));
      return `${written(node.start, body.start)} {\n${members.join('\n')}\n}`;
    }
    case 'VariableDeclarator': {
      const { id, init } = node as { id?: Node; init?: Node };
      const type = id?.typeAnnotation as Node | undefined;
      const made = init?.type === 'NewExpression' ? `: ${nameOf(init.callee)}` : '';
      return `const ${name}${type === undefined || type === null ? made : module.text.slice(type.start, type.end)};`;
    }
    default:
      return written(node.start, node.end);
  }
}

function memberOf(module: ModuleNames, member: Node): string {
  const { start } = member;
  const { text } = module;
  const value = isNode(member.value) ? member.value : null;
  const isMethod =
    value !== null && ['FunctionExpression', 'TSEmptyBodyFunctionExpression'].includes(value.type);
  const body = isMethod && isNode(value.body) ? value.body.start : null;
  const end = body ?? (isMethod || value === null ? member.end : text.lastIndexOf('=', value.start));
  const signature = text
    .slice(start, end)
    .trim()
    .replace(/;$/, '')
    .replace(/^async /, '');
  const comment = commentBefore(module, start);
  const indented = comment === null ? '' : `  /*${comment.value}*/\n`;
  return `${indented}  ${signature};`;
}

function isPublic(member: Node): boolean {
  const key = isNode(member.key) ? member.key.type : '';
  return (
    key !== 'PrivateIdentifier' &&
    key !== '' &&
    !member.computed &&
    (member.accessibility ?? 'public') === 'public'
  );
}

function commentOf({ module, name }: Declared): string {
  const comment = commentBefore(module, declarationOf(module, name).statement.start);
  if (comment === null) return '';
  const lines = comment.value.replace(/^\*/, '').split('\n');
  const text = lines
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
    .join('\n')
    .trim();
  return text
    .replace(/^@throws /gm, '- Throws: ')
    .replace(/^@param (\S+)/gm, '- `$1`:')
    .replace(/^@returns/gm, '- Returns');
}

function commentBefore(
  { comments, text }: ModuleNames,
  start: number,
): ModuleNames['comments'][number] | null {
  const before = comments.findLast(({ end }) => end <= start);
  const isDoc = before?.value.startsWith('*') && /^\s*$/.test(text.slice(before.end, start));
  return before !== undefined && isDoc ? before : null;
}

/** The types of records are made from schemas, which describe their fields. */
function schemaLink({ file }: Declared, signature: string): string {
  if (!/\b(?:infer|input|output)<typeof /.test(signature)) return '';
  const path = relative(ROOT, file);
  return `\nIts fields are described in [${path}](../${path}).\n`;
}

function withoutComments(text: string): string {
  return text.replace(/\/\*.*?\*\/|\/\/.*$/gms, '');
}

const modules = new Map<string, ModuleNames>();

function read(file: string): ModuleNames {
  const known = modules.get(file);
  if (known !== undefined) return known;
  const module = readModuleNames(file, readFileSync(file, 'utf8'));
  modules.set(file, module);
  return module;
}

/** Returns the first declaration of a name. The first signature of a function has its comment. */
function declarationOf(module: ModuleNames, name: string): { node: Node; statement: Node } {
  const [found] = module.declared.get(name) ?? [];
  if (found === undefined) throw new Error(`${name} is not declared`);
  return found;
}

function child(node: Node, field: string): Node {
  const value = node[field];
  if (!isNode(value)) throw new Error(`A ${node.type} has no ${field}`);
  return value;
}
