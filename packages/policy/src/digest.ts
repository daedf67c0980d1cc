import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/**
 * The one text of a JSON value: no white space, keys sorted by UTF-16 code units, numbers and strings as
 * JavaScript prints them; the form RFC 8785 asks for. Two values that are equal as JSON have equal texts.
 *
 * Members that are `undefined` count as absent. Throws a TypeError on anything that JSON cannot say
 * (functions, symbols, bigint, NaN, the infinities), for dropping it would give unequal values one text.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  if (typeof value !== 'object') throw new TypeError(`${String(value)} is not a JSON value`);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members: string[] = [];
  for (const [key, member] of Object.entries(value).sort(byKey)) {
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`);
  }
  return `{${members.join(',')}}`;
}

/** Strings compare by code unit with `<`, which is the order wanted; `localeCompare` would not be. */
function byKey([left]: [string, unknown], [right]: [string, unknown]): number {
  return left < right ? -1 : 1;
}

/** SHA-256 of the UTF-8 bytes, 64 lower-case hex digits. */
export function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/** HMAC-SHA-256 of the UTF-8 bytes under the UTF-8 bytes of the key, 64 lower-case hex digits. */
export function hmacSha256Hex(key: string, text: string): string {
  return bytesToHex(hmac(sha256, utf8ToBytes(key), utf8ToBytes(text)));
}

/** SHA-256 of the canonical JSON: equal for equal values, however their keys were ordered. */
export function digestOf(value: unknown): string {
  return sha256Hex(canonicalJson(value));
}
