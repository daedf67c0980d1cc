/**
 * Explains why a text cannot be a name. Names that look the same must be the same text. Otherwise a name with an
 * invisible character, or with another spelling of a character, could pass a list that seems to contain the name.
 */
import { isNameCharacter, NAME_UNICODE } from './name-characters.ts';

const ASCII_NAME = /^[!-~]*$/;

/** Returns what is wrong, in words that follow the field's name. Null if nothing is wrong. */
export function nameFault(text: string): string | null {
  if (ASCII_NAME.test(text)) return null;
  let position = 0;
  for (const character of text) {
    position++;
    if (isNameCharacter(character.codePointAt(0) as number)) continue;
    return `must not hold ${codePointsOf(character)} (character ${position}): ${whyNot(character)}`;
  }
  const composed = text.normalize('NFC');
  return text === composed ? null : notComposed(text, composed);
}

/** Writes code points as Unicode does: `U+0065 U+0301`. */
export function codePointsOf(text: string): string {
  return [...text]
    .map((character) => character.codePointAt(0) as number)
    .map((codePoint) => `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`)
    .join(' ');
}

/** The reasons by kind of character. The first reason that matches is used. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/[\n\v\f\r\u0085\u2028\u2029]/u, 'a name holds no line break'],
  [/\t/u, 'a name holds no tab'],
  [/[\p{White_Space}\p{Z}\u2800]/u, 'a name holds no blank'],
  [/\p{Cc}/u, 'it is a control character'],
  [/\p{Cs}/u, 'it is half of a character'],
  [/\uFFFD/u, 'it replaces bytes that a program could not read: find out where the name was damaged'],
  [/\p{Co}/u, 'each font shows a private character in its own way'],
  [/\p{Cn}/u, `Unicode ${NAME_UNICODE} has no such character`],
];

function whyNot(character: string): string {
  const [, reason] = REASONS.find(([of]) => of.test(character)) ?? [];
  if (reason !== undefined) return reason;
  return isSeen(character) ? `Unicode ${NAME_UNICODE} has no such character` : 'it cannot be seen';
}

/** True if this version of Node knows the character as visible. Node may know a later version of Unicode. */
function isSeen(character: string): boolean {
  return !/[\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(character) && !BLANK_GLYPHS.has(character);
}

const BLANK_GLYPHS: ReadonlySet<string> = new Set([
  ...['\u{1107f}', '\u{13441}', '\u{13442}', '\u{16fe4}', '\u{1bc9d}', '\u{1d159}', '\ufffc'],
]);

function notComposed(text: string, composed: string): string {
  const written = [...text];
  const wanted = [...composed];
  const at = written.findIndex((character, index) => character !== wanted[index]);
  // The number of characters at the end that are equal in both texts. Only the text before these characters must be
  // written in another way.
  let same = 0;
  while (
    same < Math.min(written.length, wanted.length) - at &&
    written.at(-1 - same) === wanted.at(-1 - same)
  )
    same++;
  const [from, to] = [written, wanted].map((all) => codePointsOf(all.slice(at, all.length - same).join('')));
  return `must be composed (Unicode's form NFC): write ${to} for ${from} (character ${at + 1})`;
}
