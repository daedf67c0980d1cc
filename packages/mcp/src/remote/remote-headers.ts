/**
 * The headers of a message to a server over HTTP. In the new era, headers repeat parts of the message, so that a
 * gateway does not have to read the message.
 */
import { fieldsOf } from '../messages/fields-of.ts';
import type { Request } from '../messages/read-message.ts';

const VERSION = 'io.modelcontextprotocol/protocolVersion';

/** For each method, the parameter that names its subject. */
const NAMES: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** The headers that the proxy itself writes, so an operator cannot set them. */
const OWN: ReadonlySet<string> = new Set([
  ...['host', 'connection', 'content-length', 'content-type', 'transfer-encoding'],
  ...['accept', 'accept-encoding', 'expect', 'upgrade', 'te', 'trailer', 'keep-alive', 'last-event-id'],
  ...['mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'mcp-name'],
]);

/** True if the proxy writes the header itself. */
export function isOwnHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return OWN.has(lower) || lower.startsWith('mcp-param-');
}

/** The version that a message of the new era states. Null: the message is of the older era. */
export function statedVersion({ params }: Pick<Request, 'params'>): string | null {
  const version = fieldsOf(params.value._meta)[VERSION];
  return typeof version === 'string' ? version : null;
}

/**
 * Returns the headers of a request of the new era, as names and values alternately.
 *
 * @param schema the server's schema of the arguments of the called tool. Undefined: it is not known
 */
export function modernHeaders({ method, params }: Request, version: string, schema: unknown): string[] {
  const key = NAMES[method];
  const name = key === undefined ? undefined : params.value[key];
  return [
    ...['mcp-protocol-version', encoded(version), 'mcp-method', encoded(method)],
    ...(typeof name === 'string' ? ['mcp-name', encoded(name)] : []),
    ...(method === 'tools/call' ? argumentHeaders(schema, fieldsOf(params.value.arguments)) : []),
  ];
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,256}$/;
/** No reasonable schema is deeper, or has more such arguments. */
const MOST_DEPTH = 32;
const MOST_HEADERS = 64;

/** A schema can name a header that repeats the value of an argument. */
function argumentHeaders(schema: unknown, args: Readonly<Record<string, unknown>>): string[] {
  const headers: string[] = [];
  const visit = (node: unknown, value: unknown, depth: number): void => {
    if (depth > MOST_DEPTH || value === undefined || value === null) return;
    const { 'x-mcp-header': header, properties } = fieldsOf(node);
    const text = textOf(value);
    if (depth > 0 && typeof header === 'string' && TOKEN.test(header) && text !== null)
      if (headers.length < 2 * MOST_HEADERS) headers.push(`mcp-param-${header}`, encoded(text));
    const values = fieldsOf(value);
    for (const [key, child] of Object.entries(fieldsOf(properties)))
      visit(child, Object.hasOwn(values, key) ? values[key] : undefined, depth + 1);
  };
  visit(schema, args, 0);
  return headers;
}

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? null : String(value);
}

/** If a header cannot contain the value as it is, the value is written in base64. */
function encoded(value: string): string {
  const isPlain =
    /^[\t\x20-\x7e]+$/.test(value) && value === value.trim() && !/^=\?base64\?.*\?=$/.test(value);
  return isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}
