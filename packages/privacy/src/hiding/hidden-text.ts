import type { PrivacyPattern } from '@mandate/schemas';

/** The text that replaces a piece that a pattern found. */
export function redactedPiece(pattern: PrivacyPattern): string {
  return `[redacted:${pattern}]`;
}
