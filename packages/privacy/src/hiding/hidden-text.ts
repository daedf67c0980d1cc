import type { PrivacyPattern } from '@mandate/schemas';

/** What hiding leaves in a text in place of a piece that a pattern found. */
export function redactedPiece(pattern: PrivacyPattern): string {
  return `[redacted:${pattern}]`;
}
