/**
 * Seals a text with the key of a person: `sealed:v1:<key file>:<person>:<IV, ciphertext and tag>.`, the last part in
 * base64url. The dot ends the token, because the token may be in the middle of a text. Everything before the last
 * part is the `ref` of the person. All sealed texts of the person can be found by it. Without the keys it does not
 * identify the person.
 *
 * The cipher is AES-256-GCM. The IV is a keyed hash of tenant and text. So the same text of the same person is the
 * same token, and no IV is used for two texts. A token is valid only with its own tenant and ref.
 */
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { SEALED_TEXT } from '@mandate/policy';
import { hmacSha256 } from './hmac-sha256.ts';

/** The secrets of a person, each for one use. They are derived from the person's leaf. */
export type PersonSecrets = {
  readonly textKey: Uint8Array;
  readonly ivKey: Uint8Array;
  /** Replaces the id of the person in fields that must contain an id. */
  readonly pseudonym: string;
};

/** The parts of a token: the person, and the sealed text. */
export type SealedText = { keysId: string; index: string; sealed: Buffer };

const TOKEN = /^sealed:v1:([0-9a-f]{16}):([0-9a-f]{16}):([A-Za-z0-9_-]{38,})\.$/;
/** Matches every token in a text, whatever text is around the token. */
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
  // The text is sealed as JSON, because JSON preserves lone surrogates.
  const plain = JSON.stringify(text);
  const bound = boundTo(at);
  const iv = hmacSha256(secrets.ivKey, Buffer.concat([bound, Buffer.from(plain)])).subarray(0, IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', secrets.textKey, iv).setAAD(bound);
  const parts = [iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()];
  return `${at.ref}:${Buffer.concat(parts).toString('base64url')}.`;
}

/** Returns the text. Null if the token was not sealed with these secrets, for this ref and tenant. */
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

/** Returns the parts of a token, which may be forged. Null if the text is not a token. */
export function readToken(text: string): SealedText | null {
  const [, keysId, index, sealed] = TOKEN.exec(text) ?? [];
  if (keysId === undefined || index === undefined || sealed === undefined) return null;
  return { keysId, index, sealed: Buffer.from(sealed, 'base64url') };
}

/** Returns the `ref` of the person that a token names. Null if the text is not a token. */
export function refInToken(text: string): string | null {
  const read = readToken(text);
  return read && refOf(read.keysId, read.index);
}

/** True if the whole text has the form of a token or a pseudonym. */
export function looksSealed(text: string): boolean {
  return TOKEN.test(text) || PSEUDONYM.test(text);
}

/**
 * Returns the text to which a token is bound. A tenant name contains no line break, so the text is different for each
 * ref and tenant.
 */
function boundTo({ ref, tenant }: { ref: string; tenant: string }): Buffer {
  return Buffer.from(`${ref}\n${tenant}\n`);
}

function derived(leaf: Uint8Array, label: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', leaf, '', label, bytes));
}
