/** Finds private keys in their text formats: PEM (RFC 7468), OpenPGP (RFC 9580), PuTTY. */
import type { Finder, Span } from '../piece.ts';

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d:/g;
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|Private-MAC: ?[0-9a-f]{40,128}/g;
/** Matches the characters between the first and the last line of a key, including escaped line breaks. */
const WITHIN = /[\w+/=\s\\-]/;

/**
 * Finds private keys. A key without its last line extends to the end of the text. A key without its first line begins
 * with the run of key characters before its last line.
 */
export const findPrivateKeys: Finder = (text) => {
  const keys: Span[] = [];
  let after = 0;
  let begin = nextMatch(BEGIN, text, 0);
  for (let end = nextMatch(END, text, 0); end !== null; end = nextMatch(END, text, after)) {
    const start =
      begin !== null && begin.start < end.start ? begin.start : startOfRest(text, after, end.start);
    keys.push({ start, end: end.end });
    after = end.end;
    if (begin !== null && begin.start < after) begin = nextMatch(BEGIN, text, after);
  }
  if (begin !== null) keys.push({ start: begin.start, end: text.length });
  return keys;
};

function nextMatch(pattern: RegExp, text: string, from: number): Span | null {
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  return match === null ? null : { start: match.index, end: pattern.lastIndex };
}

function startOfRest(text: string, after: number, end: number): number {
  let start = end;
  while (start > after && WITHIN.test(text[start - 1] ?? '')) start -= 1;
  return start;
}
