/**
 * Finds mail addresses anywhere in a text, as the most lenient mail program would: after any separator, with
 * blanks and comments around the `@`, in percent-encoding, quoted-printable, HTML entities and encoded words.
 *
 * An `@` is not part of an address if the text before it is empty, if the name after it has no top-level domain (`5 @
 * 3.50`, `@alice`, `npm@latest`), if that name ends like a file (`logo@2x.png`), or if the `@` begins a part of a
 * URL's path (`https://example.com/@ann.smith`).
 */
import { isHostname } from '../formats.ts';
import { withoutComments, withPlainSigns } from './decoded-text.ts';
import { withDecodedWords } from './encoded-words.ts';

/** The domain of a found address, in lower case. Null if mail programs may read the address in different ways. */
export type FoundDomain = string | null;

export function domainsIn(text: string): ReadonlySet<FoundDomain> {
  const words = withDecodedWords(text);
  const plain = withPlainSigns(words ?? text);
  const found = new Set<FoundDomain>(words === null ? [null] : []);
  for (const form of new Set([text, plain, withoutComments(plain)])) collectDomains(form, found);
  return found;
}

/** True if mail may be delivered to the name after an `@`. */
export function mayBeDomain(name: string): boolean {
  const labels = name.split(DOTS).filter((label) => label !== '');
  if (labels.length < 2) return false;
  if (labels.length === 4 && labels.every((label) => /^\d{1,3}$/.test(label))) return true;
  if (FILE_ENDINGS.has(labels.at(-1)?.toLowerCase() ?? '')) return false;
  return labels.slice(1).some((label) => /^(?:xn--|\p{L}[\p{L}\p{M}])/iu.test(label));
}

/** Matches words, separated by characters that end an address in every notation. */
const WORD = /[^\s,;<>()"'|[\]{}`]+/g;
const AT = /[@＠﹫]/g;
const AFTER_BLANKS = /\s*/y;
const NAME = /[\p{L}\p{M}\p{N}._。．｡-]{1,255}/uy;
const LITERAL = /\[[^\s[\]]*[\d:]/y;
const DOTS = /[.。．｡]/;
/**
 * Matches signs that send mail by another server: `a%b@c` and `b!a@c` send it through c to b. A percent sign may also
 * begin an encoded character, and is then not matched.
 */
const ROUTE = /%(?![2-7][0-9a-f])|!/i;
const URL_SCHEME = /https?:\/\//i;
/** File extensions that are not top-level domains (iana.org, Root Zone Database, November 2026). */
const FILE_ENDINGS = new Set(
  'png jpg jpeg gif webp avif heic svg bmp ico tif tiff pdf css scss js mjs cjs jsx ts tsx json html xml yaml yml toml txt csv log mp3 mp4 webm wav woff ttf tgz gz'.split(
    ' ',
  ),
);

function collectDomains(text: string, found: Set<FoundDomain>): void {
  const first = text.search(/\S/);
  for (const { index: start, 0: word } of text.matchAll(WORD)) {
    const scheme = word.search(URL_SCHEME);
    let isRouted = false;
    let before = 0;
    for (const { index } of word.matchAll(AT)) {
      const at = start + index;
      isRouted ||= ROUTE.test(word.slice(before, index));
      before = index + 1;
      const isInPath = scheme >= 0 && scheme < index && word[index - 1] === '/';
      if (at > first && !isInPath) collectDomainAfter(text, at + 1, isRouted, found);
    }
  }
}

function collectDomainAfter(text: string, at: number, isRouted: boolean, found: Set<FoundDomain>): void {
  AFTER_BLANKS.lastIndex = at;
  AFTER_BLANKS.test(text);
  NAME.lastIndex = AFTER_BLANKS.lastIndex;
  LITERAL.lastIndex = AFTER_BLANKS.lastIndex;
  const name = NAME.exec(text)?.[0].replace(/[.。．｡_-]+$/, '') ?? '';
  if (LITERAL.test(text)) found.add(null);
  else if (mayBeDomain(name)) found.add(isRouted || !isHostname(name) ? null : name.toLowerCase());
}
