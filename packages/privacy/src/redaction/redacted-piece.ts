import type { PrivacyPattern } from '@mandate/schemas';

/** Returns the text that replaces a match of a pattern. */
export function redactedPiece(pattern: PrivacyPattern): string {
  return `[redacted:${pattern}]`;
}
