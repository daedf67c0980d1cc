/**
 * An entry with a URL, which the client calls over HTTP. The import turns it into an entry with a command: the proxy,
 * which calls the URL instead of the client.
 */
import { validateHeaderName } from 'node:http';
import { isOwnHeader } from '@mandate/mcp';
import type { TextSpan } from '@mandate/schemas/json-spans';
import type { Group, Member, Named, Word } from './config-fields.ts';

export type RemoteEntry = Named & {
  kind: 'remote';
  url: Member & { value: Word };
  type: Word | null;
  /** Null: there are none. */
  headers: Group | null;
  fromEnv: HeadersFromEnv;
  /** The text to insert between two fields. */
  separator: string;
};

/**
 * In Codex, these fields name environment variables that contain the values of headers. `places`: the beginning of each
 * line of these fields.
 */
export type HeadersFromEnv = {
  bearer: string | null;
  headers: readonly { name: string; variable: string }[];
  places: readonly number[];
};

/** The contents of an entry with a URL. */
export type RemoteFields = {
  /** The names of all fields of the entry. */
  fields: readonly string[];
  type: Word | null;
  /** The field `url`. */
  url: Member | null;
  headers: Group | null;
  /** `other`: they are written in a form that the import cannot rewrite. */
  fromEnv: HeadersFromEnv | 'other';
  separator: string;
};

type Fault = { kind: 'faulty'; fault: string } | { kind: 'direct'; why: string; listens: boolean };

const STREAMABLE = /^(?:https?|streamable[-_]?http)$/i;
/** With these fields, the client logs in at the server, or asks another program for the headers. */
const LOGINS = ['oauth', 'auth', 'headersHelper', 'authProviderType', 'oauth_resource', 'scopes'];
/** Only an entry with a command has these fields. */
const OF_COMMANDS = ['args', 'env', 'env_vars'];

/** Returns why the import does not change the entry. Null: the proxy can call the URL. */
export function remoteFault({ fields, type, url, headers, fromEnv }: RemoteFields): Fault | null {
  const faulty = (fault: string): Fault => ({ kind: 'faulty', fault });
  const direct = (why: string, listens = true): Fault => ({ kind: 'direct', why, listens });
  const older = direct('the proxy does not speak the older transport over HTTP and SSE', false);
  if (type !== null && !STREAMABLE.test(type.value))
    return type.value.toLowerCase() === 'sse' ? older : direct('the client calls its URL', false);
  if (url === null) return direct('the client calls its URL');
  const address = url.value?.value;
  if (address === undefined) return faulty('its URL is no text');
  // The client replaces a variable.
  if (!address.includes('${')) {
    if (!isHttp(address)) return faulty('its URL is no address with http or https');
    if (type === null && new URL(address).pathname.endsWith('/sse')) return older;
  }
  const login = fields.find((field) => LOGINS.includes(field));
  if (login !== undefined) return direct(`the client logs in at its URL (\`${login}\`)`);
  const useless = fields.find((field) => OF_COMMANDS.includes(field));
  if (useless !== undefined) return faulty(`it has both a URL and \`${useless}\``);
  if (fromEnv === 'other') return direct('its headers are in one line with its URL: write it as a table');
  return headerFault(headers?.members ?? [], fromEnv);
}

function headerFault(members: readonly Member[], { bearer, headers }: HeadersFromEnv): Fault | null {
  const faulty = (fault: string): Fault => ({ kind: 'faulty', fault });
  const names = [
    ...members.map(({ name }) => name),
    ...(bearer === null ? [] : ['Authorization']),
    ...headers.map(({ name }) => name),
  ];
  const seen = new Set<string>();
  for (const name of names) {
    if (!isHeaderName(name)) return faulty('the name of a header is not allowed');
    if (seen.has(name.toLowerCase())) return faulty(`it has the header ${name} twice`);
    seen.add(name.toLowerCase());
  }
  if (members.some(({ value }) => value === null)) return faulty('the value of a header is no text');
  const variables = [...(bearer === null ? [] : [bearer]), ...headers.map(({ variable }) => variable)];
  if (variables.some((one) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(one)))
    return faulty('the name of an environment variable is not allowed');
  return null;
}

/** @throws if `remoteFault` finds something */
export function remoteOf({ name, within, ...found }: Named & RemoteFields): RemoteEntry {
  const { url, type, headers, fromEnv, separator } = found;
  if (url === null || url.value === null || fromEnv === 'other') throw new TypeError('the entry has no URL');
  const some = headers !== null && headers.members.length > 0 ? headers : null;
  return {
    ...{ name, within, kind: 'remote', type, fromEnv, separator },
    url: { ...url, value: url.value },
    headers: some,
  };
}

/** Returns the place of the text, and the beginning of each further line of the text. */
export function lineStarts(text: string, { start, end }: TextSpan): number[] {
  const starts = [start];
  for (let at = text.indexOf('\n', start); at !== -1 && at < end; at = text.indexOf('\n', at + 1))
    starts.push(at + 1);
  return starts;
}

function isHttp(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, hash } = new URL(address);
  return /^https?:$/.test(protocol) && username === '' && hash === '';
}

function isHeaderName(name: string): boolean {
  try {
    validateHeaderName(name);
    return !isOwnHeader(name);
  } catch {
    return false;
  }
}
