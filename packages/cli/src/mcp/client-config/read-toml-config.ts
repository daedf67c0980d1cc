/** Reads the configuration of Codex, which is TOML. The servers are the tables below `mcp_servers`. */

import type { TextSpan } from '@mandate/schemas/json-spans';
import { type AST, ParseError, parseTOML } from 'toml-eslint-parser';
import { WrongUse } from '../../exit-codes.ts';
import { type ClientConfig, entryOf, isSecretField, isUrlField, type ServerEntry } from './client-config.ts';
import type { Arguments, Group, Member, Word } from './config-fields.ts';
import { indentBefore } from './indent-before.ts';
import { type HeadersFromEnv, lineStarts } from './remote-entry.ts';
import { markOf } from './rewrite-remote.ts';

/** A part of a key, with its place. */
type Part = TextSpan & { name: string };

/**
 * A value with the full path of its key, such as mcp_servers, files, command. `inline`: true within an inline table.
 * `statement`: the text at the beginning of the line, and the length of its path.
 */
type Field = {
  parts: readonly Part[];
  path: readonly string[];
  node: AST.TOMLKeyValue;
  inline: boolean;
  statement: { node: AST.TOMLKeyValue; depth: number };
};

type Table = { path: readonly string[]; node: AST.TOMLTable };

const SERVERS = 'mcp_servers';

/**
 * The maximum length. The settings of Codex have a few pages. At the maximum length, the parser needs up to four
 * seconds for a hostile text.
 */
const MOST_CHARACTERS = 1024 * 1024;

export function readTomlConfig(text: string, path: string): ClientConfig | null {
  if (text.length > MOST_CHARACTERS)
    throw new WrongUse(
      `${path} is no JSON, and has more than 1 MiB`,
      'Name the configuration file of an MCP client.',
    );
  const { body, comments } = parsed(text, path);
  const [top] = body;
  const tables = top.body.flatMap((node): Table[] =>
    node.type === 'TOMLTable' ? [{ path: node.resolvedKey.map(String), node }] : [],
  );
  const fields = top.body.flatMap((one) =>
    one.type === 'TOMLKeyValue'
      ? fieldsOf(one, [])
      : one.body.flatMap((each) => fieldsOf(each, partsOf(one.key, one.resolvedKey))),
  );
  const paths = [...tables, ...fields].map((one) => one.path).filter(([first]) => first === SERVERS);
  if (paths.length === 0) return null;
  const byName = Map.groupBy(
    fields.filter((field) => field.path[0] === SERVERS),
    (field) => field.path[1],
  );
  const names = new Set(paths.flatMap(([, name]) => (name === undefined ? [] : [name])));
  return {
    text,
    syntax: 'TOML',
    servers: [...names].map((name) =>
      tomlEntry({
        ...{ text, name, fields: byName.get(name) ?? [] },
        tables: tables.filter(({ path: [first, second] }) => first === SERVERS && second === name),
        marks: marksOf(text, name, comments),
      }),
    ),
    secrets: fields
      .filter(
        ({ path: [first, , field = ''], node }) =>
          first === SERVERS && mayBeSecret(field) && node.value.type !== 'TOMLInlineTable',
      )
      .map(({ node }) => spanOf(node.value)),
  };
}

function mayBeSecret(key: string): boolean {
  return isSecretField(key) || isUrlField(key);
}

function parsed(text: string, path: string): AST.TOMLProgram {
  try {
    return parseTOML(text, { tomlVersion: 'latest' });
  } catch (error) {
    // The parser calls itself for each level, and passes each character of a text as an argument, so both can overflow
    // the stack.
    if (error instanceof RangeError)
      throw new WrongUse(
        `${path} has too many levels of brackets, or a text that is too long`,
        'Name the configuration file of an MCP client.',
      );
    if (!(error instanceof ParseError)) throw error;
    const { lineNumber, column, message } = error;
    throw new WrongUse(
      `${path} is neither JSON nor TOML: line ${lineNumber}, column ${column + 1}: ${message}`,
      'Name the configuration file of an MCP client.',
    );
  }
}

/** Returns the values of a key. An inline table has several values, and is itself a value. */
function fieldsOf(node: AST.TOMLKeyValue, above: readonly Part[], outer?: Field['statement']): Field[] {
  const parts = [...above, ...node.key.keys.map(partOf)];
  const statement = outer ?? { node, depth: parts.length };
  const field = {
    ...{ parts, node, statement },
    path: parts.map(({ name }) => name),
    inline: outer !== undefined,
  };
  const { value } = node;
  if (value.type !== 'TOMLInlineTable') return [field];
  return [field, ...value.body.flatMap((inner) => fieldsOf(inner, parts, statement))];
}

function partOf(key: AST.TOMLBare | AST.TOMLQuoted): Part {
  return { ...spanOf(key), name: key.type === 'TOMLBare' ? key.name : key.value };
}

/** The path of a table. A number in the path has no place in the text. */
function partsOf({ keys }: AST.TOMLKey, resolved: readonly (string | number)[]): Part[] {
  const places = keys.map(partOf);
  return resolved.map((name) =>
    typeof name === 'number' ? { name: String(name), start: 0, end: 0 } : (places.shift() as Part),
  );
}

type Found = {
  text: string;
  name: string;
  fields: readonly Field[];
  tables: readonly Table[];
  marks: readonly TextSpan[];
};

function tomlEntry({ text, name, fields, tables, marks }: Found): ServerEntry {
  const named = (key: string) => fields.find(({ path }) => path.length === 3 && path[2] === key);
  const [command, args, url, envVars] = ['command', 'args', 'url', 'env_vars'].map(named);
  const headers = groupOf(text, HEADERS, fields);
  return entryOf({
    ...{ name, within: null, type: null, marks },
    // The parser refuses a key that occurs twice.
    doubled: [],
    fields: [...new Set([...fields, ...tables].map(({ path }) => path[2] ?? ''))],
    hasUrl: fields.some(({ path }) => path.length === 3 && isUrlField(path[2] ?? '')),
    url: url === undefined ? null : memberOf(url),
    headers,
    fromEnv: headersFromEnv(text, fields, tables),
    separator: url === undefined ? '' : separatorAt(text, url),
    command: command === undefined ? null : (wordOf(command.node.value) ?? 'other'),
    commandKey: command === undefined ? null : lastPart(command),
    args: args === undefined ? null : (argumentsOf(args) ?? 'other'),
    newArgs: command === undefined ? '' : newArgs(text, command),
    env: groupOf(text, 'env', fields),
    envVars:
      envVars === undefined ? null : { start: memberOf(envVars).start, end: spanOf(envVars.node.value).end },
  });
}

/** Returns the fields below a key of the entry. Null: there are none. */
function groupOf(text: string, key: string, all: readonly Field[]): Group | null {
  const fields = all.filter(({ path }) => path.length === 4 && path[2] === key);
  const [first] = fields;
  if (first === undefined) return null;
  const names = new Map(fields.map(({ parts }) => [parts[2]?.start, parts[2]]));
  const whole = all.find(({ path }) => path.length === 3 && path[2] === key);
  return {
    names: [...names.values()].flatMap((part) => (part === undefined ? [] : [spanAt(part)])),
    whole: whole === undefined ? null : spanOf(whole.node.value),
    members: fields.map(memberOf),
    separator: separatorAt(text, first),
  };
}

/**
 * Codex reads the values of these headers from its own environment. An entry with a command cannot have these fields,
 * so the import turns their lines into comments.
 */
function headersFromEnv(
  text: string,
  fields: readonly Field[],
  tables: readonly Table[],
): HeadersFromEnv | 'other' {
  const isEmpty = !fields.some(({ path }) => path.length === 4 && path[2] === HEADERS);
  const isOwn = ({ path: [, , key = ''] }: { path: readonly string[] }) =>
    OF_ENV.has(key) || (key === HEADERS && isEmpty);
  const own = fields.filter(isOwn);
  const ownTables = tables.filter(isOwn);
  // Such a field has no separate line that could become a comment.
  if (own.some(({ statement }) => statement.depth < 3)) return 'other';
  const bearer = own.find(({ path }) => path.length === 3 && path[2] === BEARER);
  const headers = own.filter(({ path }) => path.length === 4 && path[2] !== HEADERS);
  const texts = [...(bearer === undefined ? [] : [bearer]), ...headers].map(({ node }) => wordOf(node.value));
  if (texts.some((word) => word === null)) return 'other';
  const statements = new Set(own.map(({ statement }) => statement.node));
  return {
    bearer: bearer === undefined ? null : (wordOf(bearer.node.value)?.value ?? null),
    headers: headers.map(({ path, node }) => ({
      name: path[3] ?? '',
      variable: wordOf(node.value)?.value ?? '',
    })),
    places: [
      ...[...statements].flatMap((node) => lineStarts(text, spanOf(node))),
      ...ownTables.map(({ node }) => spanOf(node).start),
    ],
  };
}

const HEADERS = 'http_headers';
const BEARER = 'bearer_token_env_var';
const OF_ENV: ReadonlySet<string> = new Set([BEARER, 'env_http_headers']);

/** The places of the marks in the comments that an import has written for a server. */
function marksOf(text: string, name: string, comments: readonly AST.Comment[]): TextSpan[] {
  const mark = markOf(name);
  return comments.flatMap(({ range: [start] }) =>
    text.startsWith(mark, start) ? [{ start, end: start + mark.length }] : [],
  );
}

function memberOf(field: Field): Member {
  const { node } = field;
  return {
    ...{ name: field.path.at(-1) ?? '', start: node.range[0], end: spanOf(node.value).end },
    ...{ key: lastPart(field), value: wordOf(node.value) },
  };
}

function lastPart({ parts, node }: Field): TextSpan {
  return spanAt(parts.at(-1) ?? { start: node.range[0], end: node.range[0] });
}

function spanAt({ start, end }: TextSpan): TextSpan {
  return { start, end };
}

/** The text to insert between two fields: a line break as before this field, or a comma in an inline table. */
function separatorAt(text: string, { node: { key }, inline }: Field): string {
  if (inline) return ', ';
  const indent = text.slice(text.lastIndexOf('\n', key.range[0]) + 1, key.range[0]);
  return indentBefore(text, key.range[0]) ?? `\n${indent}`;
}

/**
 * The key `args`, written in the same way as the key of the command: `mcp_servers.files.args` beside
 * `mcp_servers.files.command`.
 */
function newArgs(text: string, field: Field): string {
  const { key } = field.node;
  const before = text.slice(key.range[0], lastPart(field).start);
  return `${separatorAt(text, field)}${before}args = `;
}

function argumentsOf(field: Field): Arguments | null {
  const { range, value } = field.node;
  if (value.type !== 'TOMLArray') return null;
  const words = value.elements.map(wordOf);
  if (words.some((word) => word === null)) return null;
  return {
    ...spanOf(value),
    memberStart: range[0],
    key: lastPart(field),
    words: words.filter((word) => word !== null),
  };
}

function wordOf(node: AST.TOMLContentNode): Word | null {
  return node.type === 'TOMLValue' && node.kind === 'string' ? { ...spanOf(node), value: node.value } : null;
}

function spanOf({ range: [start, end] }: { range: readonly [number, number] }): TextSpan {
  return { start, end };
}
