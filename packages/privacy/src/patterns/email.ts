/**
 * Finds e-mail addresses, also with `@` written as `%40` in URLs. Around each at-sign it reads only the greatest
 * length of an address (RFC 5321: 64 characters before it, 255 after it). So the time is linear for any number of
 * at-signs.
 */
import type { Finder, Span } from './piece.ts';

const AT_SIGN = /[@＠]|%40/g;
/**
 * Matches characters before the at-sign. Combining marks are included, because `ü` may be written as `u` and two
 * combining dots.
 */
const LOCAL = /[\p{L}\p{M}\p{N}._%+\-'&]/u;
const DOMAIN = /[\p{L}\p{M}\p{N}.-]/u;
const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?$/u;
const TOP_LABEL = /^(?:xn--[a-z0-9-]{2,59}|[\p{L}\p{M}]{2,63})/iu;
const MAX_LOCAL = 64;
const MAX_DOMAIN = 255;

export const findEmails: Finder = (text) => {
  const found: Span[] = [];
  for (const { index, 0: sign } of text.matchAll(AT_SIGN)) {
    const start = startOfLocal(text, index);
    const end = start < index ? endOfDomain(text, index + sign.length) : null;
    if (end !== null) found.push({ start, end });
  }
  return found;
};

function startOfLocal(text: string, at: number): number {
  const first = Math.max(0, at - MAX_LOCAL);
  if (text[at - 1] === '"') return startOfQuoted(text, at, first);
  let start = at;
  while (start > first && LOCAL.test(text[start - 1] ?? '')) start -= 1;
  while (start < at && /[.'&]/.test(text[start] ?? '')) start += 1;
  return start;
}

/** Returns the start of a quoted local part, as in `"anything at all"@example.com`. */
function startOfQuoted(text: string, at: number, first: number): number {
  const opening = text.lastIndexOf('"', at - 2);
  return opening < first ? at : opening;
}

/**
 * Returns the end of the domain. The domain ends after its last label that is, or begins with, a top-level domain. In
 * `ann@example.com.`, it ends before the last dot.
 */
function endOfDomain(text: string, from: number): number | null {
  let to = from;
  while (to < text.length && to - from < MAX_DOMAIN && DOMAIN.test(text[to] ?? '')) to += 1;
  let end: number | null = null;
  let at = from;
  for (const [place, written] of text.slice(from, to).split('.').entries()) {
    const [top] = (place > 0 && TOP_LABEL.exec(written)) || [];
    if (top !== undefined) end = at + top.length;
    if (!LABEL.test(written)) break;
    at += written.length + 1;
  }
  return end;
}
