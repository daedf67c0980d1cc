import type { PrivacyPattern } from '@mandate/schemas';

/** The text that replaces a piece of text in which a pattern was found. */
export function redactedPiece(pattern: PrivacyPattern): string {
  return `[redacted:${pattern}]`;
}
