/**
 * Finds international bank account numbers. A number must have the length and form of a country, and the check digits
 * of ISO 13616 must fit (ibantools).
 */
import { countrySpecs, isValidIBAN } from 'ibantools';
import { type Finder, NO_WORD_BEFORE, type Span } from './piece.ts';

const BEGINNING = new RegExp(`${NO_WORD_BEFORE}([A-Z]{2})[ -]?\\d[ -]?\\d`, 'gi');

export const findIbans: Finder = (text) => {
  const found: Span[] = [];
  for (const { index, 1: country = '' } of text.matchAll(BEGINNING)) {
    const length = Object.getOwnPropertyDescriptor(countrySpecs, country.toUpperCase())?.value.chars;
    if (typeof length !== 'number') continue;
    const { compact, end } = readGroups(text, index, length);
    if (compact.length === length && isValidIBAN(compact)) found.push({ start: index, end });
  }
  return found;
};

/** Reads this many letters and digits, with at most one space or hyphen between two of them. */
function readGroups(text: string, start: number, length: number): { compact: string; end: number } {
  let compact = '';
  let end = start;
  for (let at = start; compact.length < length; at += 1) {
    const sign = text[at] ?? '';
    if (/^[A-Za-z0-9]$/.test(sign)) {
      compact += sign.toUpperCase();
      end = at + 1;
    } else if (at > end || !/^[ \u00a0-]$/.test(sign)) break;
  }
  return { compact, end };
}
