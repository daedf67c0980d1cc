/**
 * Reads strings of JSON strictly. Every escape of the standard is accepted; control characters and lone surrogates
 * are refused.
 */
import { COMPLETE_IT, JsonFault } from './json-fault.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/**
 * The length from which a part of a text is copied. V8 keeps the whole text in memory as long as a part of it with at
 * least 13 characters is used. A ledger remembers an action id for a day, so the id would keep its whole record or
 * request in memory. Therefore a part that is much shorter than its text is copied, which takes 0.1 µs.
 */
const SHARED_FROM = 13;
const MUCH_SHORTER = 4;

/**
 * Reads the string with its opening quote at `opened`. `end`: the index after the closing quote. Throws a
 * `JsonFault`.
 * @param most the maximum number of characters that the string may have
 */
export function readJsonString(text: string, opened: number, most: number): { value: string; end: number } {
  let value = '';
  let at = opened + 1;
  let start = at;
  for (;;) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) break;
    if (Number.isNaN(unit)) throw new JsonFault('a string does not end', opened, COMPLETE_IT);
    if (unit < FIRST_PRINTABLE) {
      const written = `\\u${unit.toString(16).padStart(4, '0')}`;
      throw new JsonFault('a string contains a control character', at, `write it as ${written}`);
    }
    if (unit === BACKSLASH) {
      value += text.slice(start, at) + readEscape(text, at);
      at += text[at + 1] === 'u' ? 6 : 2;
      start = at;
    } else {
      at++;
    }
  }
  value += text.slice(start, at);
  refuseUnfit(value, opened, most);
  const end = at + 1;
  const isCopied = value.length >= SHARED_FROM && MUCH_SHORTER * value.length < text.length;
  return { value: isCopied ? JSON.parse(text.slice(opened, end)) : value, end };
}

function readEscape(text: string, at: number): string {
  const mark = text.charAt(at + 1);
  if (mark === 'u') {
    const digits = text.slice(at + 2, at + 6);
    if (/^[0-9a-fA-F]{4}$/.test(digits)) return String.fromCharCode(Number.parseInt(digits, 16));
    throw new JsonFault('\\u needs four hexadecimal digits after it', at, 'write \\u0041 for "A"');
  }
  const plain = ESCAPES.get(mark);
  if (plain !== undefined) return plain;
  throw new JsonFault(
    'a backslash comes before a character that it cannot escape',
    at,
    'write two backslashes for one',
  );
}

function refuseUnfit(value: string, opened: number, most: number): void {
  if (value.length > most) {
    throw new JsonFault(
      `a string of ${value.length} characters; ${most} are allowed`,
      opened,
      'send less, or a reference to where the text is stored',
    );
  }
  if (!value.isWellFormed()) {
    throw new JsonFault(
      'a string contains half of a surrogate pair',
      opened,
      'cut texts between characters, or send \\ufffd instead of half a character',
    );
  }
}
