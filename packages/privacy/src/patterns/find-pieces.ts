/** What of a text is personal or secret, by the patterns that are asked for. */
import type { PrivacyPattern } from '@mandate/schemas';
import { hiddenIn } from '../hiding/hidden-text.ts';
import { findCreditCards } from './credit-card.ts';
import { findEmails } from './email.ts';
import { findIbans } from './iban.ts';
import { findIpAddresses } from './ip-address.ts';
import { findPhones } from './phone.ts';
import { type Finder, MASK, type Span } from './piece.ts';
import { findSecrets } from './secret.ts';
import { findUsSsns } from './us-ssn.ts';

const FINDERS: Readonly<Record<PrivacyPattern, Finder>> = {
  email: findEmails,
  phone: findPhones,
  credit_card: findCreditCards,
  iban: findIbans,
  ip_address: findIpAddresses,
  us_ssn: findUsSsns,
  secret: findSecrets,
};

export type Piece = Span & { readonly pattern: PrivacyPattern };

/**
 * In the order of the text, none over another: what overlaps is one piece, of the pattern that is named first. What is
 * hidden already is looked over.
 */
export function findPieces(text: string, patterns: readonly PrivacyPattern[]): Piece[] {
  const found = allPieces(text, patterns);
  if (found.length === 0) return found;
  const hidden = hiddenIn(text);
  if (hidden.length === 0) return merged(found, patterns);
  return merged(allPieces(masked(text, hidden), patterns), patterns);
}

function allPieces(text: string, patterns: readonly PrivacyPattern[]): Piece[] {
  return patterns.flatMap((pattern) => FINDERS[pattern](text).map((span) => ({ ...span, pattern })));
}

function merged(found: readonly Piece[], patterns: readonly PrivacyPattern[]): Piece[] {
  const pieces: Piece[] = [];
  for (const piece of found.toSorted((a, b) => a.start - b.start)) {
    const last = pieces.at(-1);
    if (last === undefined || piece.start >= last.end) {
      pieces.push(piece);
      continue;
    }
    const isFirst = patterns.indexOf(piece.pattern) < patterns.indexOf(last.pattern);
    const { pattern } = isFirst ? piece : last;
    pieces[pieces.length - 1] = { start: last.start, end: Math.max(last.end, piece.end), pattern };
  }
  return pieces;
}

function masked(text: string, hidden: readonly Span[]): string {
  let seen = '';
  let at = 0;
  for (const { start, end } of hidden) {
    seen += text.slice(at, start) + MASK.repeat(end - start);
    at = end;
  }
  return seen + text.slice(at);
}
