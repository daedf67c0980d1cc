/**
 * The configuration of an MCP client as text, with the places that an import changes. All other bytes of the text are
 * kept: the order, the comments, the indentation, and fields that this program does not know.
 */
import type { TextSpan } from '@mandate/schemas/json-spans';
import type { Arguments, Group, Named, Word } from './config-fields.ts';
import { type RemoteEntry, type RemoteFields, remoteFault, remoteOf } from './remote-entry.ts';

/** An entry with a command, which the client starts. */
export type StdioEntry = Named & {
  kind: 'stdio';
  command: Word;
  args: Arguments | null;
  /** If the entry has no arguments: the text to insert after the command, before a list of arguments. */
  newArgs: string;
  /** The key of the command. */
  commandKey: TextSpan;
  type: Word | null;
  env: Group | null;
  /** The names of the environment variables that the client passes to the server. */
  envVars: TextSpan | null;
  /** The marks of lines that an import has turned into comments. */
  marks: readonly TextSpan[];
};

export type ServerEntry =
  | StdioEntry
  | RemoteEntry
  /**
   * The entry has a URL that the client calls, so a proxy over stdio cannot stand in between. `listens`: a proxy over
   * HTTP can.
   */
  | (Named & { kind: 'direct'; why: string; listens: boolean })
  | (Named & { kind: 'faulty'; fault: string });

export type ClientConfig = {
  text: string;
  syntax: 'JSON' | 'TOML';
  servers: readonly ServerEntry[];
  /** Values that may be secrets: environment variables, headers and URLs. */
  secrets: readonly TextSpan[];
};

/** The contents of an entry, under names that are the same for all clients. */
export type FoundFields = Named &
  RemoteFields & {
    /** The fields that the entry has more than once. */
    doubled: readonly string[];
    hasUrl: boolean;
    /** Null: there is no such field. `other`: the field has a wrong type. */
    command: Word | 'other' | null;
    args: Arguments | 'other' | null;
    newArgs: string;
    commandKey: TextSpan | null;
    env: Group | null;
    envVars: TextSpan | null;
    marks: readonly TextSpan[];
  };

/** The values of `type` for an entry with a URL. */
const REMOTE = /^(?:https?|sse|ws|streamable[-_]?http)$/i;
const URL_FIELDS: ReadonlySet<string> = new Set(['url', 'serverUrl', 'httpUrl']);

export const isUrlField = (key: string): boolean => URL_FIELDS.has(key);
/** The fields with values that may be secrets. */
export const isSecretField = (key: string): boolean => /^(?:env|headers|http_headers)$/.test(key);

export function entryOf(found: FoundFields): ServerEntry {
  const { name, within, doubled, type, hasUrl, command, args, newArgs, commandKey } = found;
  const faulty = (fault: string): ServerEntry => ({ name, within, kind: 'faulty', fault });
  if (doubled.length > 0) return faulty(`it has \`${doubled[0]}\` twice`);
  if (command === null && (hasUrl || REMOTE.test(type?.value ?? ''))) {
    const fault = remoteFault(found);
    return fault === null ? remoteOf(found) : { name, within, ...fault };
  }
  if (hasUrl) return faulty('it has both a command and a URL');
  if (command === null) return faulty('it has no command');
  if (command === 'other' || commandKey === null || command.value.trim() === '')
    return faulty('its command is no text');
  if (args === 'other') return faulty('its arguments are no list of texts');
  const { env, envVars, marks } = found;
  return { name, within, kind: 'stdio', command, args, newArgs, commandKey, type, env, envVars, marks };
}
