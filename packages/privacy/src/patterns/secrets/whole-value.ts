/**
 * Extends the match of a finder to the whole value. A finder matches only the shortest text that a credential has.
 * The value is redacted from its first to its last character, so nothing of a longer credential remains.
 */
import { MASK } from '../piece.ts';

const REST = /[\w+/=.~%-]*/y;
/** Matches characters at the end that belong to the sentence, not to the value. */
const CLOSING = /[.~%]+$/;

/**
 * Matches the place at which a value continues: after a backslash at the end of its line, or in the next quotes if
 * source code joins several texts.
 */
export const CONTINUED =
  /\\\r?\n[ \t]*|\\*["'`][ \t]*(?:[+.][ \t]*(?:\\?\r?\n[ \t]*)?|\\?\r?\n[ \t]*)\\*["'`]/y;

/**
 * Matches a soft line break. By RFC 2045 a line of quoted-printable has at most 76 characters, and a line that
 * continues ends with an equals sign.
 */
const SOFT_BREAK = /\r?\n/y;
const SHORTEST_LINE = 70;
const LONGEST_LINE = 76;

const PRECEDES = /[\w+/-]/;

/** @param start the start of the finder's match */
export function startOfToken(text: string, start: number): number {
  let at = start;
  while (at > 0 && PRECEDES.test(text[at - 1] ?? '')) at -= 1;
  // The letter after a backslash is part of an escape such as `\n`.
  return at < start && text[at - 1] === '\\' ? at + 1 : at;
}

/** @param end the end of the finder's match */
export function endOfToken(text: string, end: number): number {
  let at = end;
  for (;;) {
    const run = endOf(REST, text, at) ?? at;
    const next = endOf(CONTINUED, text, run) ?? afterSoftBreak(text, run);
    // If no more characters of the value follow the continuation, the value ends here.
    if (next === null || (endOf(REST, text, next) ?? next) === next) {
      return Math.max(end, run - (CLOSING.exec(text.slice(at, run))?.[0].length ?? 0));
    }
    at = next;
  }
}

function afterSoftBreak(text: string, at: number): number | null {
  if (text[at - 1] !== '=') return null;
  const line = text.slice(Math.max(0, at - LONGEST_LINE - 1), at);
  const units = line.length - 1 - line.lastIndexOf('\n');
  return units < SHORTEST_LINE || units > LONGEST_LINE ? null : endOf(SOFT_BREAK, text, at);
}

/** Returns the end of a sticky pattern's match at this index. Null if the pattern does not match. */
export function endOf(sticky: RegExp, text: string, at: number): number | null {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : null;
}

/**
 * Requires that a match does not begin inside a word. The last characters of an escape (the `n` of `\n`, the `20` of
 * `%20`) do not belong to the next word.
 */
export const NO_WORD_BEFORE_VALUE = `(?:(?<![\\w${MASK}-])|(?<=\\\\[nrtbf])|(?<=\\\\u[0-9a-fA-F]{4})|(?<=%[0-9a-fA-F]{2}))`;
