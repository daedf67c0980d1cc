import type { PrivacyDocument } from '@mandate/schemas';
import { findPieces } from '../patterns/find-pieces.ts';
import { nationalPhoneFinder } from '../patterns/national-phone.ts';
import { replacePieces } from '../patterns/redact-pieces.ts';
import { redactedPiece } from './redacted-piece.ts';

/**
 * Returns a function that redacts every match of the document's patterns in a text outside of actions. It does not
 * hash. It does not seal either, because such a text names no person, so there is no key.
 */
export function compileTextRedaction({ patterns: rules }: PrivacyDocument): (text: string) => string {
  const patterns = [...new Set(rules.map(({ pattern }) => pattern))];
  const countries = rules.flatMap((rule) => rule.countries ?? []);
  const findNational = countries.length === 0 ? null : nationalPhoneFinder(countries);
  return (text) =>
    replacePieces(text, findPieces(text, patterns, findNational), (_, pattern) => redactedPiece(pattern));
}
