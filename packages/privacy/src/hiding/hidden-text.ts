/** What hiding leaves in the place of what it hid, and how that is told from what is still to be hidden. */
import type { PrivacyPattern } from '@mandate/schemas';
import type { Span } from '../patterns/piece.ts';
import { SEALED_TEXTS } from '../person-keys/sealed-text.ts';

export const REDACTED = '[redacted]';

/** In place of what was sealed, or would have been, of a person who is forgotten. */
export const ERASED = '[erased]';

export function redactedPiece(pattern: PrivacyPattern): string {
  return `[redacted:${pattern}]`;
}

/** Of a sealed text, only its form: whose it is, and whether it ever was one, nobody can tell without the keys. */
const FORMS = [
  '\\[redacted(?::[a-z_]{1,20})?\\]',
  '\\[erased\\]',
  'hmac-sha256:[0-9a-f]{32}',
  SEALED_TEXTS.source,
  'person:[0-9a-f]{32}',
].join('|');
const ANYWHERE = new RegExp(FORMS, 'g');
const WHOLE = new RegExp(`^(?:${FORMS})$`);

export function isHidden(value: unknown): boolean {
  return typeof value === 'string' && WHOLE.test(value);
}

export function hiddenIn(text: string): Span[] {
  return Array.from(text.matchAll(ANYWHERE), ({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
  }));
}
