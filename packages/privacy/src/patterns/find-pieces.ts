/** Finds personal data and secrets in a text, by the given patterns. */

import { placeholdersIn } from '@mandate/policy';
import type { PrivacyPattern } from '@mandate/schemas';
import { findCreditCards, MAY_HOLD_CARD } from './credit-card.ts';
import { findEmails } from './email.ts';
import { findIbans } from './iban.ts';
import { findIpAddresses } from './ip-address.ts';
import { MAY_HOLD_NATIONAL_PHONE } from './national-phone.ts';
import { findPhones } from './phone.ts';
import { type Finder, MASK, type Span } from './piece.ts';
import { inPlainDigits } from './plain-digits.ts';
import { findSecrets } from './secret.ts';
import { findUsSsns } from './us-ssn.ts';

/**
 * `hint`: a text that does not match the hint cannot contain a match, so `find` need not run. Most texts are short
 * and match no hint, so most time is spent on hints.
 */
const FINDERS: Readonly<Record<PrivacyPattern, { hint: RegExp; find: Finder }>> = {
  email: { hint: /[@＠]|%40/, find: findEmails },
  phone: { hint: /[+\uff0b]|%2B/i, find: findPhones },
  credit_card: { hint: MAY_HOLD_CARD, find: findCreditCards },
  iban: { hint: /[A-Z]{2}[ -]?\d[ -]?\d/i, find: findIbans },
  ip_address: { hint: /\d\.\d|:[\da-f]{0,4}:/i, find: findIpAddresses },
  us_ssn: { hint: /\d[ -]\d\d[ -]\d/, find: findUsSsns },
  // The finder of secrets has more hints of its own. No secret is shorter than 8 characters.
  secret: { hint: /.{8}/s, find: findSecrets },
};

export type Piece = Span & { readonly pattern: PrivacyPattern };

/**
 * Returns pieces in the order of the text, without overlaps. Overlapping matches become one piece of the pattern that
 * is named first. Pieces that were replaced before are not searched.
 *
 * @param findNational also finds phone numbers without a country code, for the countries that it knows
 */
export function findPieces(
  text: string,
  patterns: readonly PrivacyPattern[],
  findNational: Finder | null = null,
): Piece[] {
  const found = allPieces(text, patterns, findNational);
  if (found.length === 0) return found;
  const replaced = placeholdersIn(text);
  if (replaced.length === 0) return merged(found, patterns);
  return merged(allPieces(masked(text, replaced), patterns, findNational), patterns);
}

function allPieces(text: string, patterns: readonly PrivacyPattern[], findNational: Finder | null): Piece[] {
  const found: Piece[] = [];
  const plain = inPlainDigits(text);
  for (const pattern of patterns) {
    const { hint, find } = FINDERS[pattern];
    if (!hint.test(plain.text)) continue;
    for (const span of find(plain.text)) found.push({ ...plain.placeOf(span), pattern });
  }
  if (findNational !== null && MAY_HOLD_NATIONAL_PHONE.test(plain.text)) {
    for (const span of findNational(plain.text)) found.push({ ...plain.placeOf(span), pattern: 'phone' });
  }
  return found;
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

function masked(text: string, replaced: readonly Span[]): string {
  let seen = '';
  let at = 0;
  for (const { start, end } of replaced) {
    seen += text.slice(at, start) + MASK.repeat(end - start);
    at = end;
  }
  return seen + text.slice(at);
}
