/**
 * Telephone numbers with their country, as `+49 30 901820`: what the numbering plan of that country has
 * (libphonenumber-js). Without a country, no plan tells them from the numbers of orders: see national-phone.ts.
 */
import { isValidPhoneNumber } from 'libphonenumber-js/min';
import { type Finder, MASK, NO_WORD_AFTER, type Span } from './piece.ts';

/** Blanks of any width, dashes, dots, strokes and brackets. */
export const PHONE_SIGN = '[\\p{Zs}\\p{Pd}()./\\uff08\\uff09\\uff0e\\uff0f]';
const CANDIDATE = new RegExp(
  `(?<![\\w+\\uff0b${MASK}])(?:[+\\uff0b]|%2B)[ (]{0,2}[1-9](?:${PHONE_SIGN}{0,3}\\d){6,16}${NO_WORD_AFTER}`,
  'giu',
);

/** After so many in one text, whatever looks like one is taken for one: asking the plans is not cheap. */
const MAX_ASKED = 500;

export const findPhones: Finder = (text) => {
  const found: Span[] = [];
  let asked = 0;
  for (const { index, 0: written } of text.matchAll(CANDIDATE)) {
    // In a run of digits in groups, the last groups may not belong to the phone.
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
