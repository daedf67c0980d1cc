/**
 * The form of an API key: `sk-mdt_<id>_<secret>_<checksum>`. Older keys begin with `mdt_`, and stay valid.
 *
 * Secret scanners search for `sk-`, and `mdt_` names Mandate. The id (12 characters) is public and names the key in
 * logs and lists. The secret is 256 random bits. The checksum (CRC-32 of everything before it) detects a mistyped or
 * truncated key without a look-up. All three parts are base62.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 12;
/** This number of digits can hold any value, because 62^43 > 2^256. For the checksum, 62^6 > 2^32. */
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

const KEY = /^(?:sk-)?mdt_([0-9A-Za-z]{12})_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/;

/** Matches keys and parts of truncated keys in any text, so that they can be censored. */
export const API_KEY_PATTERN = /(?:sk-)?mdt_[0-9A-Za-z]{12}_[0-9A-Za-z_]{1,50}/g;

/** Returns a new public id. */
export function makeKeyId(): string {
  return Array.from({ length: ID_LENGTH }, () => DIGITS.charAt(randomInt(62))).join('');
}

/** Returns a new key and its public id. */
export function makeApiKey(): { key: string; id: string } {
  const id = makeKeyId();
  return { key: apiKeyOf(id, randomBytes(32)), id };
}

/** @param secret 32 bytes */
export function apiKeyOf(id: string, secret: Buffer): string {
  const body = `sk-mdt_${id}_${base62(BigInt(`0x${secret.toString('hex')}`), SECRET_LENGTH)}`;
  return `${body}_${checksum(body)}`;
}

/** Returns the public id of a well-formed key. Null for a wrong form or a wrong checksum. */
export function parseApiKey(text: string): { id: string } | null {
  const id = KEY.exec(text)?.[1];
  if (id === undefined) return null;
  const bodyLength = text.length - CHECKSUM_LENGTH - 1;
  return text.slice(bodyLength + 1) === checksum(text.slice(0, bodyLength)) ? { id } : null;
}

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), CHECKSUM_LENGTH);
}

function base62(value: bigint, length: number): string {
  let digits = '';
  for (let rest = value; rest > 0n; rest /= 62n) digits = DIGITS.charAt(Number(rest % 62n)) + digits;
  return digits.padStart(length, '0');
}
