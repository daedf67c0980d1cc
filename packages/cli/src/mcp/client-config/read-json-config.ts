/**
 * Reads the JSON configuration of a client: Claude Desktop, Claude Code, Cursor, VS Code. VS Code accepts comments and
 * commas at the end of lists, so they are accepted here.
 */
import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { WrongUse } from '../../exit-codes.ts';
import { type ClientConfig, entryOf, isSecretField, isUrlField, type ServerEntry } from './client-config.ts';
import type { Arguments, Group, Member, Word } from './config-fields.ts';
import { indentBefore } from './indent-before.ts';
import { lineAndColumn } from './line-and-column.ts';

/** The parser calls itself for each level, and no client needs more levels. */
const MOST_DEPTH = 100;

type ServersOf = { within: string | null; servers: Node };
type Property = { key: string; start: number; keyEnd: number; value: Node };

export function readJsonConfig(text: string, path: string): ClientConfig | null {
  const root = treeOf(text, path);
  const groups = groupsOf(root);
  if (groups.length === 0) return null;
  const entries = groups.flatMap(({ within, servers }) =>
    propertiesOf(servers).map(({ key, value }) => jsonEntry(text, key, within, value)),
  );
  return {
    text,
    syntax: 'JSON',
    servers: entries.map(({ entry }) => entry),
    secrets: entries.flatMap(({ secrets }) => secrets),
  };
}

function treeOf(text: string, path: string): Node {
  mustBeShallow(text, path);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (root !== undefined && error === undefined) return root;
  const { offset, code } = error ? { offset: error.offset, code: printParseErrorCode(error.error) } : NOTHING;
  throw new WrongUse(
    `${path} is not JSON: ${lineAndColumn(text, offset)}: ${wordsOf(code)}`,
    'Correct the file, and import it again.',
  );
}

const NOTHING = { offset: 0, code: 'ValueExpected' };

/** Returns `value expected` for the code `ValueExpected`. */
function wordsOf(code: string): string {
  return code.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim();
}

function mustBeShallow(text: string, path: string): void {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    const mark = text[scanner.getTokenOffset()];
    if (mark === '{' || mark === '[') depth += 1;
    if (mark === '}' || mark === ']') depth -= 1;
    if (depth > MOST_DEPTH)
      throw new WrongUse(
        `${path} has more than ${MOST_DEPTH} levels of brackets`,
        'Name the configuration file of an MCP client.',
      );
  }
}

/** Claude Code also keeps the servers of each project, in a file of the user. */
function groupsOf(root: Node): ServersOf[] {
  return propertiesOf(root).flatMap(({ key, value }): ServersOf[] => {
    if (key === 'mcpServers' || key === 'servers')
      return value.type === 'object' ? [{ within: null, servers: value }] : [];
    if (key !== 'projects') return [];
    return propertiesOf(value).flatMap((project) =>
      propertiesOf(project.value)
        .filter(({ key: name, value: servers }) => name === 'mcpServers' && servers.type === 'object')
        .map(({ value: servers }) => ({ within: project.key, servers })),
    );
  });
}

function jsonEntry(text: string, name: string, within: string | null, value: Node) {
  const properties = propertiesOf(value);
  const named = (key: string) => properties.filter((one) => one.key === key);
  const [command] = named('command');
  const [args] = named('args');
  const [type] = named('type');
  const [url] = named('url');
  const [headers] = named('headers');
  const [env] = named('env');
  const own = { ...NO_VARIABLES, ...{ name, within } };
  const entry: ServerEntry =
    value.type !== 'object'
      ? { name, within, kind: 'faulty', fault: 'it is no object' }
      : // An undo could not restore such a key exactly.
        command === undefined && escaped(text, [url, headers])
        ? { name, within, kind: 'faulty', fault: 'one of its keys has escapes' }
        : entryOf({
            ...own,
            doubled: REWRITTEN.filter((key) => named(key).length > 1),
            fields: properties.map(({ key }) => key),
            type: type === undefined ? null : wordOf(type.value),
            hasUrl: properties.some(({ key }) => isUrlField(key)),
            url: url === undefined ? null : memberOf(url),
            headers: headers === undefined ? null : groupOf(text, headers),
            separator: separatorAt(text, url),
            command: command === undefined ? null : (wordOf(command.value) ?? 'other'),
            commandKey: command === undefined ? null : memberOf(command).key,
            args: args === undefined ? null : (argumentsOf(args) ?? 'other'),
            newArgs: `${separatorAt(text, command)}"args": `,
            env: env === undefined ? null : groupOf(text, env),
          });
  const secrets = [
    ...properties.filter(({ key }) => isUrlField(key)),
    ...properties.filter(({ key }) => isSecretField(key)).flatMap((holder) => propertiesOf(holder.value)),
  ].map((one) => spanOf(one.value));
  return { entry, secrets };
}

/** The fields that the import changes. If a field occurs twice, some clients use the first and others the last. */
const REWRITTEN = ['command', 'args', 'type', 'url', 'headers', 'env'];
/** Clients with JSON configurations instead replace variables in the values of headers. */
const NO_VARIABLES = {
  fromEnv: { bearer: null, headers: [], places: [] },
  envVars: null,
  marks: [],
} as const;

function escaped(text: string, properties: readonly (Property | undefined)[]): boolean {
  return properties.some((one) => one !== undefined && text.slice(one.start, one.keyEnd) !== `"${one.key}"`);
}

function separatorAt(text: string, property: Property | undefined): string {
  return `,${indentBefore(text, property?.start ?? 0) ?? ' '}`;
}

function memberOf({ key: name, start, keyEnd, value }: Property): Member {
  return { name, start, end: spanOf(value).end, key: { start, end: keyEnd }, value: wordOf(value) };
}

function groupOf(text: string, { start, keyEnd, value }: Property): Group {
  const properties = propertiesOf(value);
  return {
    names: [{ start, end: keyEnd }],
    whole: spanOf(value),
    members: properties.map(memberOf),
    separator: separatorAt(text, properties[0]),
  };
}

function argumentsOf({ start, keyEnd, value }: Property): Arguments | null {
  if (value.type !== 'array') return null;
  const words = (value.children ?? []).map(wordOf);
  if (words.some((word) => word === null)) return null;
  const key = { start, end: keyEnd };
  return { ...spanOf(value), memberStart: start, key, words: words.filter((word) => word !== null) };
}

function wordOf(node: Node): Word | null {
  return node.type === 'string' ? { ...spanOf(node), value: node.value } : null;
}

function propertiesOf(node: Node): Property[] {
  if (node.type !== 'object') return [];
  return (node.children ?? []).flatMap(({ offset, children: [key, value] = [] }) =>
    key === undefined || value === undefined
      ? []
      : [{ key: key.value, start: offset, keyEnd: key.offset + key.length, value }],
  );
}

function spanOf({ offset, length }: Node) {
  return { start: offset, end: offset + length };
}
