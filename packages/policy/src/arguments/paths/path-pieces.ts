/** A part of a text that may be a path: the whole text, or one word of it. */
export interface PathPiece {
  readonly text: string;
  /** True if the piece is the whole text, or its only word. Such a piece may be a path without any slash. */
  readonly isAlone: boolean;
}

const WORD_ENDS = /[\s"'`,;|&<>(){}[\]=@]+/;
/**
 * Matches the end of an XML element, such as `</root>`. In a shell command, the path after `<` would rarely be
 * followed by `>` directly.
 */
const CLOSING_TAG = /<\/[a-z][\w.:-]*>/g;
/**
 * Matches `file:` with blanks between its letters. URL parsers drop tabs and line breaks (WHATWG URL, "basic URL
 * parser").
 */
const SPLIT_FILE_URL = /f\s*i\s*l\s*e\s*:/;

/**
 * Returns the parts of a text that a program or a shell could read as a path.
 *
 * @param text the result of `pathText` in ./path-text.ts
 */
export function pathPieces(text: string): readonly PathPiece[] {
  const whole = trimControls(text);
  const isOneWord = !/\s/.test(whole);
  const pieces: PathPiece[] = [{ text: whole, isAlone: true }];
  for (const word of text.replaceAll(CLOSING_TAG, ' ').split(WORD_ENDS))
    if (word !== '') pieces.push({ text: word, isAlone: isOneWord });
  const joined = /[\t\n\r]/.test(text) && SPLIT_FILE_URL.test(text) ? text.replace(/[\t\n\r]/g, '') : null;
  if (joined !== null)
    for (const url of joined.match(/file:[^ "'`<>]*/g) ?? []) pieces.push({ text: url, isAlone: false });
  return pieces;
}

/**
 * Removes blanks and control characters at both ends, because URL parsers remove them. Most other programs remove
 * blanks too.
 */
function trimControls(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && text.charCodeAt(from) <= 0x20) from += 1;
  while (to > from && text.charCodeAt(to - 1) <= 0x20) to -= 1;
  return text.slice(from, to).trim();
}
