/** For each character of ASCII, whether it belongs to words. Most places of most texts need nothing else. */
const JOINS_IN_ASCII = Array.from({ length: 128 }, (_, code) => /\w/.test(String.fromCharCode(code)));
const WORD_CHARACTER = /^[\p{L}\p{N}\p{M}_]$/u;
/** Characters of scripts that write no blanks between words. */
const WITHOUT_BLANKS =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]$/u;

/** True if the text from `start` to before `end` consists of whole words: it is parted from both its neighbours. */
export function standsAlone(text: string, start: number, end: number): boolean {
  return isParted(text, start) && isParted(text, end);
}

/**
 * True if a word can begin or end at this place of the text. The characters before and after the place are parted
 * unless both belong to words and neither is of a script without blanks.
 *
 * @param at a place in UTF-16 units, between two characters
 */
export function isParted(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return true;
  const before = JOINS_IN_ASCII[text.charCodeAt(at - 1)] ?? joins(characterBefore(text, at));
  if (!before) return true;
  return !(JOINS_IN_ASCII[text.charCodeAt(at)] ?? joins(String.fromCodePoint(text.codePointAt(at) ?? 0)));
}

function joins(character: string): boolean {
  return WORD_CHARACTER.test(character) && !WITHOUT_BLANKS.test(character);
}

function characterBefore(text: string, at: number): string {
  const before = text.codePointAt(at - 2) ?? 0;
  return at >= 2 && before > 0xffff ? String.fromCodePoint(before) : text.charAt(at - 1);
}
