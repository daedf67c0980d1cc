import { PRIVACY_PATTERNS, type PrivacyPattern } from '@mandate/schemas';
import { redactedPiece } from '../redaction/redacted-piece.ts';
import { findPieces } from './find-pieces.ts';
import type { Span } from './piece.ts';

/** Redacts every match of every pattern in a text. */
export function redactPieces(text: string): string {
  return replacePieces(text, findPieces(text, PRIVACY_PATTERNS), (_, pattern) => redactedPiece(pattern));
}

/** @param pieces in the order of the text, without overlaps */
export function replacePieces(
  text: string,
  pieces: readonly (Span & { pattern: PrivacyPattern })[],
  replace: (piece: string, pattern: PrivacyPattern) => string,
): string {
  let replaced = '';
  let at = 0;
  for (const { start, end, pattern } of pieces) {
    replaced += text.slice(at, start) + replace(text.slice(start, end), pattern);
    at = end;
  }
  return replaced + text.slice(at);
}
