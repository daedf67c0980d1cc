/** The leaf of a person, by a keyed hash: without the key, an index does not identify the person. */
import { hmacSha256 } from './hmac-sha256.ts';

const HEX_DIGITS = 16;

/**
 * 64 bits as 16 hexadecimal digits. Ids of persons count exactly as they are written: case, blanks and every way to
 * write one letter tell two persons apart. As JSON two pairs never have one text, not even with halves of characters.
 */
export function personIndex(indexKey: Uint8Array, tenant: string, person: string): string {
  return keyedDigits(indexKey, `person ${JSON.stringify([tenant, person])}`);
}

/** By what records and tokens say from which key file they are. */
export function keysIdOf(indexKey: Uint8Array): string {
  return keyedDigits(indexKey, 'id');
}

function keyedDigits(key: Uint8Array, text: string): string {
  return hmacSha256(key, Buffer.from(text)).toString('hex').slice(0, HEX_DIGITS);
}
