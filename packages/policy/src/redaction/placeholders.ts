/** The placeholders that redaction leaves, and where arguments contain them. */

import type { Json } from '@mandate/schemas';
import { pointerStep } from '@mandate/schemas/core';

export const REDACTED = '[redacted]';

/** Replaces a sealed text, or a text to seal, after its person was forgotten. */
export const ERASED = '[erased]';

/** A text sealed under the key of a person: sealed-text.ts in @mandate/privacy. */
export const SEALED_TEXT = 'sealed:v1:[0-9a-f]{16}:[0-9a-f]{16}:[A-Za-z0-9_-]{38,}\\.';

/** Only the form counts: without the keys, nothing tells a true sealed text from an imitation. */
const FORMS = [
  '\\[redacted(?::[a-z_]{1,20})?\\]',
  '\\[erased\\]',
  'hmac-sha256:[0-9a-f]{32}',
  SEALED_TEXT,
  'person:[0-9a-f]{32}',
].join('|');
const ANYWHERE = new RegExp(FORMS);
const EVERY = new RegExp(FORMS, 'g');
const WHOLE = new RegExp(`^(?:${FORMS})$`);

export function isPlaceholder(value: unknown): boolean {
  return typeof value === 'string' && WHOLE.test(value);
}

export function placeholdersIn(text: string): { start: number; end: number }[] {
  return Array.from(text.matchAll(EVERY), ({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
  }));
}

/**
 * JSON pointers (RFC 6901) of the texts in `value` that hold a placeholder, in order, at most `most`. Linear in the
 * value.
 *
 * @param pointer where the value is itself
 */
export function redactedIn(value: Json, pointer: string, most: number): string[] {
  const found: string[] = [];
  const look = (within: Json, at: string): void => {
    if (found.length >= most) return;
    if (typeof within === 'string') {
      if (ANYWHERE.test(within)) found.push(at);
    } else if (typeof within === 'object' && within !== null) {
      for (const [name, member] of Object.entries(within)) look(member, at + pointerStep(name));
    }
  };
  look(value, pointer);
  return found;
}
