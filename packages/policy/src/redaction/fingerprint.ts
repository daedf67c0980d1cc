/**
 * What redaction takes from an action must still tell two requests apart: a person's grant holds for the exact arguments,
 * also if they are hidden from everyone. So a keyed digest of them travels beside the record, in a header, and goes into
 * the digest of the request. Without the key it says nothing about them.
 */
import type { Action, Json } from '@mandate/schemas';
import { freeFieldsOf } from '@mandate/schemas/core';
import { canonicalJson, hmacSha256Hex } from '../digest.ts';

/** 64 hexadecimal digits; null when redaction took nothing away. */
export function fingerprintOf(original: Action, redacted: Action, key: string): string | null {
  if (original === redacted) return null;
  const text = canonicalJson(freeText(original));
  return text === canonicalJson(freeText(redacted)) ? null : hmacSha256Hex(key, text);
}

function freeText(action: Action): Json {
  return Object.fromEntries(freeFieldsOf(action));
}
