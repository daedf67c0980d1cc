/**
 * The configuration of an MCP client as text, with the places of what an import changes. Everything else in the text
 * keeps its bytes: the order, the comments, the indentation, and fields that this program does not know.
 */
import type { TextSpan } from '@mandate/schemas/json-spans';

/** A text value, and where it is with its quotation marks. */
export type Word = TextSpan & { value: string };

/** The list of arguments. `memberStart`: where its key begins. */
export type Arguments = TextSpan & { memberStart: number; words: readonly Word[] };

type Named = {
  name: string;
  /** The folder of the project that the entry is for, in a file with the servers of several projects. */
  within: string | null;
};

/** An entry with a command, which the client starts. */
export type StdioEntry = Named & {
  kind: 'stdio';
  command: Word;
  args: Arguments | null;
  /** If the entry has no arguments: what to write after the command, before a list of arguments. */
  newArgs: string;
};

export type ServerEntry =
  | StdioEntry
  /** The client calls a URL. */
  | (Named & { kind: 'remote' })
  | (Named & { kind: 'faulty'; fault: string });

export type ClientConfig = {
  text: string;
  syntax: 'JSON' | 'TOML';
  servers: readonly ServerEntry[];
  /** Values that may be secrets: environment variables, headers and URLs. */
  secrets: readonly TextSpan[];
};

/** What a reader found in an entry, by the names that all clients use. */
export type FoundFields = Named & {
  /** Fields that the entry has more than once. */
  doubled: readonly string[];
  type: string | null;
  hasUrl: boolean;
  /** Null: there is no such field. `other`: it has another type than it must have. */
  command: Word | 'other' | null;
  args: Arguments | 'other' | null;
  newArgs: string;
};

/** The values of `type` that mean a URL. */
const REMOTE = /^(?:https?|sse|ws|streamable[-_]?http)$/i;
const URL_FIELDS: ReadonlySet<string> = new Set(['url', 'serverUrl', 'httpUrl']);

export const isUrlField = (key: string): boolean => URL_FIELDS.has(key);
/** Fields with values that may be secrets. */
export const isSecretField = (key: string): boolean => /^(?:env|headers|http_headers)$/.test(key);

export function entryOf({ name, within, ...found }: FoundFields): ServerEntry {
  const { doubled, type, hasUrl, command, args, newArgs } = found;
  const faulty = (fault: string): ServerEntry => ({ name, within, kind: 'faulty', fault });
  if (doubled.length > 0) return faulty(`it has \`${doubled[0]}\` twice`);
  if (command === null && (hasUrl || REMOTE.test(type ?? ''))) return { name, within, kind: 'remote' };
  if (hasUrl) return faulty('it has both a command and a URL');
  if (command === null) return faulty('it has no command');
  if (command === 'other' || command.value.trim() === '') return faulty('its command is no text');
  if (args === 'other') return faulty('its arguments are no list of texts');
  return { name, within, kind: 'stdio', command, args, newArgs };
}
