/** The placeholders of redaction, and the search for them in arguments. */

import type { Json } from '@mandate/schemas';
import { pointerStep } from '@mandate/schemas/core';

export const REDACTED = '[redacted]';

/**
 * Replaces a sealed text after the person's key was destroyed. It also replaces texts that should be sealed with this
 * key later.
 */
export const ERASED = '[erased]';

/** Matches a text that is sealed under the key of a person: see sealed-text.ts in @mandate/privacy. */
export const SEALED_TEXT = 'sealed:v1:[0-9a-f]{16}:[0-9a-f]{16}:[A-Za-z0-9_-]{38,}\\.';

/**
 * Only the form of a sealed text is checked, because a real sealed text and an imitation cannot be distinguished
 * without the keys.
 */
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
 * Returns JSON pointers (RFC 6901) to the texts in `value` that contain a placeholder, in order, at most `most`
 * pointers. Takes linear time.
 *
 * @param pointer the pointer to `value` itself
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
