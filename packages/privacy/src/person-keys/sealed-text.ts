/**
 * A text under the key of a person: `sealed:v1:<key file>:<person>:<IV, ciphertext and tag>.`, the last part in
 * base64url. The dot closes it, as it may stand in the midst of a text. What stands before the last part is the `ref` of
 * the person, by which all sealed texts of the person can be found. Without the keys, it does not identify the person.
 *
 * AES-256-GCM. The IV is a keyed hash of tenant and text, so the same text of the same person is the same token, and no
 * IV ever stands for two texts. A token is bound to its tenant and its ref: moved to others it is no token of theirs.
 */
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { SEALED_TEXT } from '@mandate/policy';
import { hmacSha256 } from './hmac-sha256.ts';

/** What of a person's leaf is used for what. */
export type PersonSecrets = {
  readonly textKey: Uint8Array;
  readonly ivKey: Uint8Array;
  /** What stands for the id of the person where an id is wanted. */
  readonly pseudonym: string;
};

/** The parts of a token: the person, and the sealed text. */
export type SealedText = { keysId: string; index: string; sealed: Buffer };

const TOKEN = /^sealed:v1:([0-9a-f]{16}):([0-9a-f]{16}):([A-Za-z0-9_-]{38,})\.$/;
/** Every token in a text, whatever stands around it. */
export const SEALED_TEXTS = new RegExp(SEALED_TEXT, 'g');
const PSEUDONYM = /^person:[0-9a-f]{32}$/;
const IV_BYTES = 12;
const TAG_BYTES = 16;

export function secretsOf(leaf: Uint8Array): PersonSecrets {
  return {
    textKey: derived(leaf, 'mandate person v1 text', 32),
    ivKey: derived(leaf, 'mandate person v1 iv', 32),
    pseudonym: `person:${derived(leaf, 'mandate person v1 pseudonym', 16).toString('hex')}`,
  };
}

export function refOf(keysId: string, index: string): string {
  return `sealed:v1:${keysId}:${index}`;
}

export function sealText(secrets: PersonSecrets, at: { ref: string; tenant: string }, text: string): string {
  // As JSON, halves of characters come back as they were.
  const plain = JSON.stringify(text);
  const bound = boundTo(at);
  const iv = hmacSha256(secrets.ivKey, Buffer.concat([bound, Buffer.from(plain)])).subarray(0, IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', secrets.textKey, iv).setAAD(bound);
  const parts = [iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()];
  return `${at.ref}:${Buffer.concat(parts).toString('base64url')}.`;
}

/** null: the token was not sealed with these secrets, for this ref and tenant. */
export function unsealText(
  secrets: PersonSecrets,
  at: { ref: string; tenant: string },
  sealed: Buffer,
): string | null {
  const iv = sealed.subarray(0, IV_BYTES);
  const tag = sealed.subarray(-TAG_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', secrets.textKey, iv, { authTagLength: TAG_BYTES });
  decipher.setAAD(boundTo(at)).setAuthTag(tag);
  try {
    const plain = [decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()];
    return JSON.parse(Buffer.concat(plain).toString());
  } catch {
    return null;
  }
}

/** What a token says of itself, true or not; null where the text is none. */
export function readToken(text: string): SealedText | null {
  const [, keysId, index, sealed] = TOKEN.exec(text) ?? [];
  if (keysId === undefined || index === undefined || sealed === undefined) return null;
  return { keysId, index, sealed: Buffer.from(sealed, 'base64url') };
}

/** The person that a token names; null if the text is no token. */
export function refInToken(text: string): string | null {
  const read = readToken(text);
  return read && refOf(read.keysId, read.index);
}

/** Whether the whole text is a token or a pseudonym, to look at. */
export function looksSealed(text: string): boolean {
  return TOKEN.test(text) || PSEUDONYM.test(text);
}

/** No tenant holds a line break, so no two of these are one. */
function boundTo({ ref, tenant }: { ref: string; tenant: string }): Buffer {
  return Buffer.from(`${ref}\n${tenant}\n`);
}

function derived(leaf: Uint8Array, label: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', leaf, '', label, bytes));
}
