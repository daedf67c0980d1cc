/** The bodies that the paths of OAuth accept: forms, and the JSON document that registers a client. */
import { foldedKey } from '@mandate/schemas/json-spans';
import { decoded } from '../messages/split-lines.ts';

/** True if a server could read the body as a message of MCP, or if it is unclear how a server reads the body. */
export function holdsMessage(body: Uint8Array): boolean {
  const text = decoded(body);
  if (text === null || text.includes('\0')) return true;
  let value: unknown;
  try {
    value = JSON.parse(text.trim());
  } catch {
    // A form never begins like an object or a list. A text that does could be read as a message by a tolerant parser.
    return /^[{[]/.test(text.trim());
  }
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) || Object.keys(value).some((key) => MESSAGE_KEYS.has(foldedKey(key)));
}

const MESSAGE_KEYS: ReadonlySet<string> = new Set(['jsonrpc', 'method', 'params', 'id', 'result', 'error']);
