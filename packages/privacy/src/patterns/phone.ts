/**
 * Finds telephone numbers with a country code, such as `+49 30 901820`, that the numbering plan of that country
 * contains (libphonenumber-js). Without a country code, no plan can tell them from the numbers of orders: see
 * national-phone.ts.
 */
import { isValidPhoneNumber } from 'libphonenumber-js/min';
import { type Finder, MASK, NO_WORD_AFTER, type Span } from './piece.ts';

/** Spaces of any width, dashes, dots, slashes and brackets. */
export const PHONE_SIGN = '[\\p{Zs}\\p{Pd}()./\\uff08\\uff09\\uff0e\\uff0f]';
const CANDIDATE = new RegExp(
  `(?<![\\w+\\uff0b${MASK}])(?:[+\\uff0b]|%2B)[ (]{0,2}[1-9](?:${PHONE_SIGN}{0,3}\\d){6,16}${NO_WORD_AFTER}`,
  'giu',
);

/**
 * After this many in one text, everything that looks like a phone number counts as one, because checking the plans is
 * slow.
 */
const MAX_ASKED = 500;

export const findPhones: Finder = (text) => {
  const found: Span[] = [];
  let asked = 0;
  for (const { index, 0: written } of text.matchAll(CANDIDATE)) {
    // In a run of groups of digits, the last groups may not belong to the phone number.
    for (let rest = written; rest !== ''; rest = withoutLastGroup(rest)) {
      asked += 1;
      if (asked > MAX_ASKED || isValidPhoneNumber(digitsOf(rest))) {
        found.push({ start: index, end: index + rest.length });
        break;
      }
    }
  }
  return found;
};

function digitsOf(written: string): string {
  return `+${written.replace(/^%2B/i, '').replaceAll(/\D/g, '')}`;
}

function withoutLastGroup(written: string): string {
  return /^(.*\d)[^\d]+\d+$/.exec(written)?.[1] ?? '';
}
