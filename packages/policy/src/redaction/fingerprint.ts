/**
 * Computes the fingerprint: a keyed digest of the redacted data. Two requests must stay different after redaction,
 * because a person approves the exact arguments, including redacted arguments. So the fingerprint is published beside
 * the record, in a header, and is part of the request's digest. Without the key it reveals nothing.
 */
import type { Action, Json } from '@mandate/schemas';
import { freeFieldsOf } from '@mandate/schemas/core';
import { canonicalJson, hmacSha256Hex } from '../digest.ts';

/** Returns 64 hexadecimal digits, or null if redaction removed nothing. */
export function fingerprintOf(original: Action, redacted: Action, key: string): string | null {
  if (original === redacted) return null;
  const text = canonicalJson(freeText(original));
  return text === canonicalJson(freeText(redacted)) ? null : hmacSha256Hex(key, text);
}

function freeText(action: Action): Json {
  return Object.fromEntries(freeFieldsOf(action));
}
