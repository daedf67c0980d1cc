/** Reads the configuration of Codex, which is TOML. The servers are the tables below `mcp_servers`. */

import type { TextSpan } from '@mandate/schemas/json-spans';
import { type AST, ParseError, parseTOML } from 'toml-eslint-parser';
import { WrongUse } from '../../exit-codes.ts';
import {
  type Arguments,
  type ClientConfig,
  entryOf,
  isSecretField,
  isUrlField,
  type ServerEntry,
  type Word,
} from './client-config.ts';
import { indentBefore } from './indent-before.ts';

/** A value with the whole path of its key, such as mcp_servers, files, command. `inline`: within an inline table. */
type Field = { path: readonly string[]; node: AST.TOMLKeyValue; inline: boolean };

const SERVERS = 'mcp_servers';

/** The settings of Codex are a few pages. The parser needs up to four seconds for a hostile text of this length. */
const MOST_CHARACTERS = 1024 * 1024;

export function readTomlConfig(text: string, path: string): ClientConfig | null {
  if (text.length > MOST_CHARACTERS)
    throw new WrongUse(
      `${path} is no JSON, and has more than 1 MiB`,
      'Name the configuration file of an MCP client.',
    );
  const top = parsed(text, path);
  const tables = top.body.flatMap((one) => (one.type === 'TOMLTable' ? [one.resolvedKey.map(String)] : []));
  const fields = top.body.flatMap((one) =>
    one.type === 'TOMLKeyValue'
      ? fieldsOf(one, [], false)
      : one.body.flatMap((each) => fieldsOf(each, one.resolvedKey.map(String), false)),
  );
  const paths = [...tables, ...fields.map((field) => field.path)].filter(([first]) => first === SERVERS);
  if (paths.length === 0) return null;
  const byName = Map.groupBy(
    fields.filter((field) => field.path[0] === SERVERS),
    (field) => field.path[1],
  );
  const names = new Set(paths.flatMap(([, name]) => (name === undefined ? [] : [name])));
  return {
    text,
    syntax: 'TOML',
    servers: [...names].map((name) => tomlEntry(text, name, byName.get(name) ?? [])),
    secrets: fields
      .filter((field) => field.path[0] === SERVERS && mayBeSecret(field.path[2] ?? ''))
      .map(({ node }) => spanOf(node.value)),
  };
}

function mayBeSecret(key: string): boolean {
  return isSecretField(key) || isUrlField(key);
}

function parsed(text: string, path: string): AST.TOMLTopLevelTable {
  try {
    return parseTOML(text, { tomlVersion: 'latest' }).body[0];
  } catch (error) {
    // The parser calls itself for each level, and passes each character of a text as an argument.
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

/** Returns the values of a key. A table within the line has several. */
function fieldsOf(node: AST.TOMLKeyValue, above: readonly string[], inline: boolean): Field[] {
  const path = [...above, ...node.key.keys.map((key) => (key.type === 'TOMLBare' ? key.name : key.value))];
  const { value } = node;
  if (value.type !== 'TOMLInlineTable') return [{ path, node, inline }];
  return value.body.flatMap((inner) => fieldsOf(inner, path, true));
}

function tomlEntry(text: string, name: string, fields: readonly Field[]): ServerEntry {
  const named = (key: string) => fields.find(({ path }) => path.length === 3 && path[2] === key);
  const command = named('command');
  const args = named('args');
  return entryOf({
    ...{ name, within: null, type: null },
    // The parser refuses a key that is there twice.
    doubled: [],
    hasUrl: fields.some(({ path }) => path.length === 3 && isUrlField(path[2] ?? '')),
    command: command === undefined ? null : (wordOf(command.node.value) ?? 'other'),
    args: args === undefined ? null : (argumentsOf(args) ?? 'other'),
    newArgs: command === undefined ? '' : newArgs(text, command),
  });
}

/** The key `args`, written as the key of the command is written: `mcp_servers.files.args` beside `mcp_servers.files.command`. */
function newArgs(text: string, { node: { key }, inline }: Field): string {
  const last = key.keys.at(-1);
  const before = text.slice(key.range[0], last?.range[0]);
  if (inline) return `, ${before}args = `;
  const indent = text.slice(text.lastIndexOf('\n', key.range[0]) + 1, key.range[0]);
  return `${indentBefore(text, key.range[0]) ?? `\n${indent}`}${before}args = `;
}

function argumentsOf({ node: { range, value } }: Field): Arguments | null {
  if (value.type !== 'TOMLArray') return null;
  const words = value.elements.map(wordOf);
  if (words.some((word) => word === null)) return null;
  return { ...spanOf(value), memberStart: range[0], words: words.filter((word) => word !== null) };
}

function wordOf(node: AST.TOMLContentNode): Word | null {
  return node.type === 'TOMLValue' && node.kind === 'string' ? { ...spanOf(node), value: node.value } : null;
}

function spanOf({ range: [start, end] }: { range: readonly [number, number] }): TextSpan {
  return { start, end };
}
