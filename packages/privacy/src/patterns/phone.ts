/**
 * Finds telephone numbers with a country code, such as `+49 30 901820`. The number must be valid in the numbering
 * plan of that country (libphonenumber-js). Without a country code, no plan can distinguish them from the numbers of
 * orders: see national-phone.ts.
 */
import { isValidPhoneNumber } from 'libphonenumber-js/min';
import { type Finder, MASK, NO_WORD_AFTER, type Span } from './piece.ts';

/** Matches a separator: a space of any width, a dash, a dot, a slash or a bracket. */
export const PHONE_SIGN = '[\\p{Zs}\\p{Pd}()./\\uff08\\uff09\\uff0e\\uff0f]';
const CANDIDATE = new RegExp(
  `(?<![\\w+\\uff0b${MASK}])(?:[+\\uff0b]|%2B)[ (]{0,2}[1-9](?:${PHONE_SIGN}{0,3}\\d){6,16}${NO_WORD_AFTER}`,
  'giu',
);

/**
 * The most numbers in one text that are checked, because checking the plans is slow. After this many, everything that
 * looks like a phone number counts as one.
 */
const MAX_ASKED = 500;

export const findPhones: Finder = (text) => {
  const found: Span[] = [];
  let asked = 0;
  for (const { index, 0: written } of text.matchAll(CANDIDATE)) {
    // The last groups in a run of digit groups may not belong to the phone number. So shorter runs are tried too.
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
