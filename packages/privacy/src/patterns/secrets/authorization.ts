/** Finds credentials by their HTTP scheme (Bearer, and Basic of RFC 7617) and by their structure (JSON web tokens). */
import type { Finder, Span } from '../piece.ts';
import { endOfToken, NO_WORD_BEFORE_VALUE } from './whole-value.ts';

/**
 * Matches JWS and JWE in compact form (RFC 7515, 7516). The header is a JSON object, so its base64url text begins
 * with `eyJ`.
 */
const JSON_WEB_TOKEN = new RegExp(`${NO_WORD_BEFORE_VALUE}eyJ[\\w-]{8,}\\.[\\w-]{5,}\\.[\\w-]*`, 'g');
/**
 * Matches a bearer token. A digit is required among the first characters, so `bearer responsibilities` does not
 * match.
 */
const BEARER = new RegExp(`${NO_WORD_BEFORE_VALUE}bearer +(?=[a-z._~+/-]{0,64}\\d)[\\w.~+/-]{16,}=*`, 'gi');
const BASIC = new RegExp(`${NO_WORD_BEFORE_VALUE}basic +([\\w+/-]{8,}={0,2})`, 'gi');
const DISCORD = new RegExp(`${NO_WORD_BEFORE_VALUE}[MNO][\\w-]{22,27}\\.[\\w-]{6}\\.[\\w-]{27}`, 'g');

export const findAuthorizations: Finder = (text) => [
  ...[JSON_WEB_TOKEN, BEARER, DISCORD].flatMap((pattern) => wholeTokens(text, pattern, () => true)),
  ...wholeTokens(text, BASIC, ([, encoded = '']) => isUserAndPassword(encoded)),
];

/** Returns whole tokens. The search continues after the whole value, so the time stays linear. */
function wholeTokens(text: string, pattern: RegExp, isToken: (match: RegExpExecArray) => boolean): Span[] {
  const found: Span[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    if (!isToken(match)) continue;
    const end = endOfToken(text, pattern.lastIndex);
    found.push({ start: match.index, end });
    pattern.lastIndex = end;
  }
  return found;
}

const LONGEST = 1_024;

/**
 * True if the decoded text has a colon between user and password. `Basic authentication` has none, so these words are
 * no credentials.
 */
function isUserAndPassword(encoded: string): boolean {
  const decoded = Buffer.from(encoded.slice(0, LONGEST), 'base64').toString('latin1');
  return /^\P{Cc}{0,256}:\P{Cc}/u.test(decoded);
}
