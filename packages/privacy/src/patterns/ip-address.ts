/** Finds IP addresses, version 4 and 6, that Node's parser accepts. */
import { isIPv4, isIPv6 } from 'node:net';
import { type Finder, MASK, NO_WORD_AFTER, type Span, spanOf } from './piece.ts';

const FOUR_NUMBERS = new RegExp(`(?<![\\w.${MASK}])\\d{1,3}(?:\\.\\d{1,3}){3}(?!\\.?[\\w${MASK}])`, 'g');
const GROUPS_AND_COLONS = new RegExp(
  `(?<![\\w:.${MASK}])[\\da-f]{0,4}(?::[\\da-f]{0,4}){2,8}(?:(?:\\.\\d{1,3}){3})?${NO_WORD_AFTER}`,
  'gi',
);

export const findIpAddresses: Finder = (text) => {
  const found: Span[] = [];
  for (const match of text.matchAll(FOUR_NUMBERS)) {
    if (isIPv4(match[0])) found.push(spanOf(match));
  }
  for (const match of text.matchAll(GROUPS_AND_COLONS)) {
    const { start, end } = spanOf(match);
    // A colon after the address belongs to the sentence, not to the address.
    const written = match[0].replace(/(?<!:):$/, '');
    if (isIPv6(written) && isTelling(written))
      found.push({ start, end: end - match[0].length + written.length });
  }
  return found;
};

/** False for `::` and `A::B`, because names in programs often look like this too. */
function isTelling(written: string): boolean {
  return /\d/.test(written) || written.split(':').filter((group) => group !== '').length > 3;
}
