/**
 * Computes the leaf of a person with a keyed hash. Without the key, the number of the leaf does not identify the
 * person.
 */
import { hmacSha256 } from './hmac-sha256.ts';

const HEX_DIGITS = 16;

/**
 * Returns 64 bits as 16 hexadecimal digits. Ids of persons are compared exactly: a difference in case, spaces or
 * Unicode form means another person. Tenant and person are joined as JSON. So two different pairs never have the same
 * text, even with lone surrogates.
 */
export function personIndex(indexKey: Uint8Array, tenant: string, person: string): string {
  return keyedDigits(indexKey, `person ${JSON.stringify([tenant, person])}`);
}

/** Returns the id of a key file. Records and tokens use this id to name their key file. */
export function keysIdOf(indexKey: Uint8Array): string {
  return keyedDigits(indexKey, 'id');
}

function keyedDigits(key: Uint8Array, text: string): string {
  return hmacSha256(key, Buffer.from(text)).toString('hex').slice(0, HEX_DIGITS);
}
