/**
 * Reads one message of MCP, and finds the parts that the proxy reads or changes. All other bytes are kept.
 *
 * A message that two programs could read differently is refused. Otherwise the server could run another call than the
 * decided one. So no key that the proxy reads may appear twice, or in another spelling: some servers ignore the letter
 * case of keys.
 */
import { foldedKey, type JsonMember, membersOf, type TextSpan } from '@mandate/schemas/json-spans';

export type Request = {
  kind: 'request';
  text: string;
  /** The id as JSON. Two ids are equal if this text is equal. */
  id: string;
  method: string;
  params: Params;
};

export type Notification = { kind: 'notification'; text: string; method: string; params: Params };

/** `result` and `error`: the value, and its place in the text. */
export type Response = {
  kind: 'response';
  text: string;
  id: string;
  result: { value: unknown; span: TextSpan } | null;
  isError: boolean;
};

/** A message that is not passed on. `id`: the id of the request as JSON, or `null` if there is none. */
type Invalid = { kind: 'invalid'; code: number; why: string; id: string };

export type Message = Request | Notification | Response | Invalid;

/** The parameters of a request. `members` is empty if the parameters are not an object. */
type Params = { value: Readonly<Record<string, unknown>>; members: readonly JsonMember[] };

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;

const MOST_ID_UNITS = 4_096;
const KEYS = ['jsonrpc', 'id', 'method', 'params', 'result', 'error'];

/** Reads a message that is not a list. */
export function readMessage(text: string): Message {
  const value = parsed(text);
  if (value === undefined) return invalid(PARSE_ERROR, 'The message is no JSON.');
  const members = membersOf(text);
  if (members === null) return invalid(INVALID_REQUEST, 'The message is no object.');
  const fields = value as Record<string, unknown>;
  // Only a text or a number can be an id. A deep list could not even be written as JSON.
  const isId =
    (typeof fields.id === 'string' && fields.id.length <= MOST_ID_UNITS) || typeof fields.id === 'number';
  const id = isId ? JSON.stringify(fields.id) : 'null';
  const ambiguous = ambiguousKey(members, KEYS);
  if (ambiguous !== null) return invalid(INVALID_REQUEST, ambiguous, id);
  const { method } = fields;
  if (method === undefined) return response(text, id, fields, members);
  if (typeof method !== 'string') return invalid(INVALID_REQUEST, 'The method is no text.', id);
  const params = paramsOf(text, fields, members);
  if (fields.id === undefined) return { kind: 'notification', text, method, params };
  if (!isId) return invalid(INVALID_REQUEST, 'The id is no number and no short text.');
  return { kind: 'request', text, id, method, params };
}

/** Returns the fault if one of the known keys appears twice, or in another spelling. Null if there is none. */
export function ambiguousKey(members: readonly JsonMember[], known: readonly string[]): string | null {
  const seen = new Set<string>();
  for (const { key } of members) {
    const name = known.find((one) => one === foldedKey(key));
    if (name === undefined) continue;
    if (name !== key) return `The key "${key}" looks like "${name}". Write "${name}".`;
    if (seen.has(key)) return `The key "${key}" appears twice.`;
    seen.add(key);
  }
  return null;
}

/** Returns the id that a notification names, as JSON. Null if the value is not an id. */
export function namedId(id: unknown): string | null {
  return typeof id === 'string' || typeof id === 'number' ? JSON.stringify(id) : null;
}

function response(
  text: string,
  id: string,
  fields: Record<string, unknown>,
  members: readonly JsonMember[],
): Message {
  const result = members.find(({ key }) => key === 'result');
  // Some servers write `"error": null` in addition to a result.
  const isError = result === undefined ? fields.error !== undefined : (fields.error ?? null) !== null;
  if (result !== undefined && isError)
    return invalid(INVALID_REQUEST, 'The message has both a result and an error.', id);
  if (result === undefined && !isError) return invalid(INVALID_REQUEST, 'The message has no method.', id);
  return {
    kind: 'response',
    text,
    id,
    result: result ? { value: fields.result, span: result } : null,
    isError,
  };
}

function paramsOf(text: string, fields: Record<string, unknown>, members: readonly JsonMember[]): Params {
  const member = members.find(({ key }) => key === 'params');
  const found = member === undefined ? null : membersOf(text, member.start);
  if (found === null) return { value: {}, members: [] };
  return { value: fields.params as Record<string, unknown>, members: found };
}

function invalid(code: number, why: string, id = 'null'): Invalid {
  return { kind: 'invalid', code, why, id };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
