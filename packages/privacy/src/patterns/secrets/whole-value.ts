/**
 * Extends what a finder has matched to the whole value. A finder matches the least that a credential has. The value is cut
 * from its first sign to the last one, so that nothing of a longer credential remains.
 */
import { MASK } from '../piece.ts';

const REST = /[\w+/=.~%-]*/y;
/** These signs at the end belong to the sentence, not to the value. */
const CLOSING = /[.~%]+$/;

/**
 * A value goes on after a backslash at the end of its line, and in the next quotes where source code joins several texts.
 */
export const CONTINUED =
  /\\\r?\n[ \t]*|\\*["'`][ \t]*(?:[+.][ \t]*(?:\\?\r?\n[ \t]*)?|\\?\r?\n[ \t]*)\\*["'`]/y;

/** RFC 2045: a line of quoted-printable has at most 76 characters, and one that goes on ends with an equals sign. */
const SOFT_BREAK = /\r?\n/y;
const SHORTEST_LINE = 70;
const LONGEST_LINE = 76;

const PRECEDES = /[\w+/-]/;

/** @param start where the match of the finder begins */
export function startOfToken(text: string, start: number): number {
  let at = start;
  while (at > 0 && PRECEDES.test(text[at - 1] ?? '')) at -= 1;
  // The letter after a backslash is part of an escape such as `\n`.
  return at < start && text[at - 1] === '\\' ? at + 1 : at;
}

/** @param end where the match of the finder ends */
export function endOfToken(text: string, end: number): number {
  let at = end;
  for (;;) {
    const run = endOf(REST, text, at) ?? at;
    const next = endOf(CONTINUED, text, run) ?? afterSoftBreak(text, run);
    // A continuation that leads to nothing ends the value.
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

/** Where a sticky pattern ends that is tried at this place; null where it does not match. */
export function endOf(sticky: RegExp, text: string, at: number): number | null {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : null;
}

/**
 * The start of a pattern that may not begin within a word. The last signs of an escape (the `n` of `\n`, the `20` of `%20`)
 * are no part of the word that follows.
 */
export const NO_WORD_BEFORE_VALUE = `(?:(?<![\\w${MASK}-])|(?<=\\\\[nrtbf])|(?<=\\\\u[0-9a-fA-F]{4})|(?<=%[0-9a-fA-F]{2}))`;
