/** Where a text may name a path: the text as a whole, and its words. */
export interface PathPiece {
  readonly text: string;
  /** It may be a path without any slash: a text without blanks, or a part of one. */
  readonly isAlone: boolean;
}

const WORD_ENDS = /[\s"'`,;|&<>(){}[\]=@]+/;
/** `</root>` ends an element of XML; a shell would need a blank or more of a path. */
const CLOSING_TAG = /<\/[a-z][\w.:-]*>/g;
/** What a URL is made of when its parser has dropped tabs and line breaks (WHATWG URL, "basic URL parser"). */
const SPLIT_FILE_URL = /f\s*i\s*l\s*e\s*:/;

/**
 * The parts of a text that a program or a shell could take for a path.
 *
 * @param text as ./path-text.ts gives it
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

/** Parsers of URLs drop control characters and blanks at both ends, and most programs blanks. */
function trimControls(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && text.charCodeAt(from) <= 0x20) from += 1;
  while (to > from && text.charCodeAt(to - 1) <= 0x20) to -= 1;
  return text.slice(from, to).trim();
}
