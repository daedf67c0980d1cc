/**
 * Finds numbers of payment cards. A number must be in the range and have the length of an issuer (from
 * credit-card-type), and its check digit must fit (Luhn, ISO/IEC 7812). Nine in ten other numbers of that form fail
 * the check. The digits are in one piece or in groups. Groups of any length must have the same separator between
 * them. Groups as printed on cards may have any separators.
 */
import creditCardType from 'credit-card-type';
import { type Finder, MASK, NO_WORD_AFTER, NO_WORD_BEFORE, type Span } from './piece.ts';

/** Matches a separator: a space of any width, a dash or a dot. */
const SIGN = '[\\p{Zs}\\p{Pd}\\u2212.\\uff0e]';
const GROUPED = new RegExp(`${NO_WORD_BEFORE}\\d+(?:${SIGN}{1,3}\\d+)*${NO_WORD_AFTER}`, 'gu');
/** A fast check before the search: every text with a card number has this many digits and separators in a row. */
export const MAY_HOLD_CARD = new RegExp(`\\d(?:\\d|${SIGN}){10}`, 'u');
const FRACTION_BEFORE = new RegExp(`[\\d${MASK}]\\.$`);
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const UUID_UNITS = 36;
const SHORTEST = 12;
const LONGEST = 19;
/**
 * Matches the lengths of the groups on a printed card: groups of four, or the groups of American Express and Diners
 * Club.
 */
const AS_PRINTED = /^4(?:-4)+(?:-[1-3])?$|^4-6-[45]$/;
const PRINTED_SO_FAR = /^4(?:-4)*$|^4-6$/;

/** The first digits of an issuer's numbers (from, to), and the lengths of these numbers. */
type Range = { from: number; to: number; lengths: readonly number[] };

/**
 * The ranges of issuers by the first two digits of a number. To ask the library about each number would take longer
 * than all other work.
 */
const ISSUED = issuedRanges();

export const findCreditCards: Finder = (text) => {
  const found: Span[] = [];
  for (const { index, 0: written } of text.matchAll(GROUPED)) {
    if (written.length < SHORTEST) continue;
    for (const span of cardsAmong(groupsIn(written, index))) {
      if (!isFraction(text, span) && !isWithinUuid(text, span)) found.push(span);
    }
  }
  return found;
};

/** A group of digits, its index in the text, and the separators after it ('' at the end). */
type Group = { digits: string; start: number; signs: string };

function groupsIn(written: string, at: number): Group[] {
  return Array.from(written.matchAll(/(\d+)(\D*)/g), ({ index, 1: digits = '', 2: signs = '' }) => {
    return { digits, start: at + index, signs };
  });
}

/**
 * Yields every sequence of groups that forms a card number. An expiry date or a security code may follow with the
 * same separator. Another number may come before.
 */
function* cardsAmong(groups: readonly Group[]): Iterable<Span> {
  for (const [first, { start, signs }] of groups.entries()) {
    let digits = '';
    let isOfOneSign = true;
    let layout = '';
    for (const next of groups.slice(first, first + LONGEST)) {
      digits += next.digits;
      if (digits.length > LONGEST) break;
      layout += `${layout && '-'}${next.digits.length}`;
      if ((isOfOneSign || AS_PRINTED.test(layout)) && isCreditCard(digits)) {
        yield { start, end: next.start + next.digits.length };
      }
      isOfOneSign &&= next.signs === signs && signs.length === 1;
      if (!isOfOneSign && !PRINTED_SO_FAR.test(layout)) break;
    }
  }
}

export function isCreditCard(digits: string): boolean {
  if (digits.length < SHORTEST || digits.length > LONGEST) return false;
  const issued = ISSUED.get(digits.slice(0, 2)) ?? [];
  const isIssued = issued.some(({ from, to, lengths }) => {
    const beginning = Number(digits.slice(0, String(to).length));
    return beginning >= from && beginning <= to && lengths.includes(digits.length);
  });
  return isIssued && hasCheckDigit(digits);
}

function hasCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let at = digits.length - 1, doubled = false; at >= 0; at -= 1, doubled = !doubled) {
    const digit = digits.charCodeAt(at) - 48;
    sum += doubled ? ((digit * 2) % 10) + Math.floor(digit / 5) : digit;
  }
  return sum % 10 === 0;
}

/** True for the digits after a decimal point, such as `0.4111111111111111`. */
function isFraction(text: string, { start, end }: Span): boolean {
  return (
    FRACTION_BEFORE.test(text.slice(Math.max(0, start - 2), start)) && /^\d+$/.test(text.slice(start, end))
  );
}

function isWithinUuid(text: string, { start, end }: Span): boolean {
  const from = Math.max(0, start - UUID_UNITS);
  for (const { index } of text.slice(from, end + UUID_UNITS).matchAll(UUID)) {
    if (from + index < end && from + index + UUID_UNITS > start) return true;
  }
  return false;
}

function issuedRanges(): ReadonlyMap<string, readonly Range[]> {
  const issued = new Map<string, Range[]>();
  for (const type of Object.values(creditCardType.types)) {
    const { patterns, lengths } = creditCardType.getTypeInfo(type);
    for (const pattern of patterns) {
      const [from = 0, to = from] = Array.isArray(pattern) ? pattern : [pattern];
      for (const beginning of firstTwoDigits(from, to)) {
        issued.set(beginning, [...(issued.get(beginning) ?? []), { from, to, lengths }]);
      }
    }
  }
  return issued;
}

function firstTwoDigits(from: number, to: number): string[] {
  const [first, last] = [String(from), String(to)];
  const least = Number(first.slice(0, 2).padEnd(2, '0'));
  const most = Number(last.slice(0, 2).padEnd(2, '9'));
  return Array.from({ length: most - least + 1 }, (_, index) => String(least + index));
}
