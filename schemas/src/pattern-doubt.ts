/**
 * Finds patterns that probably mean something else. Only `*` has a special meaning. People also write signs of
 * shells, of regular expressions and of SQL. Such signs are not errors, because a name may contain them.
 */
import { nameFault } from './name-fault.ts';

type Sign = {
  found: RegExp;
  /** The sentence that follows the sign in the message. */
  says: string;
  /** Returns the pattern that was probably meant. Absent if one pattern cannot express it. */
  meant?: (text: string) => string;
};

/** Matches characters of Unicode that are named star or asterisk, or that look like a star in some font. */
const OTHER_STAR = /[×•٭⁎⁑∗⋆⚹✱✲✳✻✼✽❃❉❊❋⧆﹡＊𐌟]/u;
const QUOTES = /^["'`“”„‟‘’‚‛«»‹›＂＇]+|["'`“”„‟‘’‚‛«»‹›＂＇]+$/gu;
const REGEX_LITERAL = /^\/(.+)\/[a-z]{0,3}$/;

/** The signs to find. Only the first sign that is found is reported. */
const SIGNS: readonly Sign[] = [
  {
    found: OTHER_STAR,
    says: 'looks like a *, but matches only itself',
    meant: (text) => text.replace(new RegExp(OTHER_STAR, 'gu'), '*'),
  },
  { found: /%2a/i, says: 'is not decoded', meant: (text) => text.replace(/%2a/gi, '*') },
  {
    found: /^["'`]|["'`]$|[“”„‟‘’‚‛«»‹›＂]/u,
    says: 'is part of the pattern, but names contain no quotes',
    meant: (text) => text.replace(QUOTES, ''),
  },
  {
    found: /^(?:regexp?|re|glob|like|prefix|exact):/i,
    says: 'has no meaning here, but is part of the pattern',
    meant: (text) => fromRegex(text.replace(/^[a-z]+:/i, '')),
  },
  {
    found: REGEX_LITERAL,
    says: 'has no meaning here: this is not a regular expression, and only * has a meaning',
    meant: (text) => fromRegex(text.replace(REGEX_LITERAL, '$1')),
  },
  {
    found: /\\.?|^\^|\$$|\.\+|^\.\*|(?<=[^\p{L}\p{N}.])\.\*|\([^)]*\|[^)]*\)|\[[^\]]+\]|\(\?/u,
    says: 'matches only itself: this is not a regular expression. Only * has a meaning, and a pattern must match the whole name',
    meant: fromRegex,
  },
  {
    found: /^[!~]/,
    says: 'does not negate: put the rest into the other list',
    meant: (text) => text.slice(1),
  },
  { found: /\$\{[^}]*\}|\{\{[^}]*\}\}|<[^>]*>|^\$\w+/, says: 'is not filled in' },
  { found: /\{[^}]*,[^}]*\}/, says: 'has no meaning here: write one entry for each' },
  { found: /[,;|]/, says: 'does not separate entries: write a list with one entry for each' },
  {
    found: /\*{2,}/,
    says: 'is the same as one *, which matches dots and slashes too',
    meant: (text) => text.replace(/\*+/g, '*'),
  },
  {
    found: /\?/,
    says: 'matches only itself, not any character',
    meant: (text) => text.replace(/\?+/g, '*').replace(/\*+/g, '*'),
  },
  { found: /%/, says: 'matches only itself: * matches any text', meant: (text) => text.replace(/%+/g, '*') },
  {
    found: /^(?:all|any|anything|every|everything|everyone|none)$/i,
    says: 'is one name: write "*" for all of them, and an empty list for none',
  },
];

/** Matches a `.*` after a letter or digit. It may be a regular expression, or it may mean all names after a dot. */
const DOT_STAR = /[\p{L}\p{N}]\.\*/u;

/**
 * @param beside other names and patterns of the document; if they contain dots, the dot in `mail.*` is a plain dot
 * @returns what to check, in words that follow the field's name; null if there is no doubt
 */
export function patternDoubt(text: string, beside: Iterable<string> = []): string | null {
  for (const { found, says, meant } of SIGNS) {
    const [sign] = found.exec(text) ?? [];
    if (sign !== undefined) return doubt(sign, says, asPattern(meant?.(text), text));
  }
  if (!DOT_STAR.test(text)) return null;
  for (const name of beside) if (/\.[^*]/.test(name)) return null;
  return doubt('.*', 'matches only names that continue with a dot', text.replaceAll('.*', '*'));
}

/** Returns the pattern to suggest. Null if there is none, if it is not a valid name, or if it equals the text. */
function asPattern(meant: string | undefined, text: string): string | null {
  if (meant === undefined || meant === '' || meant === text || nameFault(meant) !== null) return null;
  return meant;
}

function doubt(sign: string, says: string, meant: string | null): string {
  return `${JSON.stringify(sign)} ${says}${meant === null ? '' : `. Did you mean ${JSON.stringify(meant)}?`}`;
}

/** Returns the pattern that matches the same names as a regular expression. Empty if there is no such pattern. */
function fromRegex(text: string): string {
  const begins = text.startsWith('^');
  const ends = text.endsWith('$');
  const pattern = text
    .replace(/^\^|\$$/g, '')
    .replace(/(?:\.|\\[wWsSdD])[*+]?\??/g, (part) => (part === '.' ? part : '*'))
    .replace(/\\([^\p{L}\p{N}])/gu, '$1');
  if (/[\\()[\]{}|+^$?]/.test(pattern)) return '';
  return `${ends && !begins ? '*' : ''}${pattern}${begins && !ends ? '*' : ''}`.replace(/\*+/g, '*');
}
