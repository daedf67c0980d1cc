/**
 * Finds the members of an object, and the elements of a list, in a JSON text. A proxy changes only a few places of a
 * message, and must pass every other byte as it came. `JSON.parse` cannot do this, because it rounds large numbers and
 * keeps one of two equal keys. All functions expect a text that `JSON.parse` accepts.
 */

/** The text of a value begins at `start` and ends before `end`. */
export type TextSpan = { start: number; end: number };

/** `keyStart`: where the key begins, with its quotation mark. */
export type JsonMember = TextSpan & { key: string; keyStart: number };

/** Returns the members of the object that begins at `start`, in their order. Null if the value is no object. */
export function membersOf(text: string, start = 0): JsonMember[] | null {
  const open = afterBlanks(text, start);
  if (text[open] !== '{') return null;
  const members: JsonMember[] = [];
  let at = afterBlanks(text, open + 1);
  while (text[at] !== '}') {
    const keyStart = at;
    const keyEnd = endOfString(text, at);
    const value = afterBlanks(text, afterBlanks(text, keyEnd) + 1);
    const end = endOfValue(text, value);
    members.push({ key: JSON.parse(text.slice(keyStart, keyEnd)), keyStart, start: value, end });
    at = afterBlanks(text, end);
    if (text[at] === ',') at = afterBlanks(text, at + 1);
  }
  return members;
}

/** Returns the elements of the list that begins at `start`, in their order. Null if the value is no list. */
export function elementsOf(text: string, start = 0): TextSpan[] | null {
  const open = afterBlanks(text, start);
  if (text[open] !== '[') return null;
  const elements: TextSpan[] = [];
  let at = afterBlanks(text, open + 1);
  while (text[at] !== ']') {
    const end = endOfValue(text, at);
    elements.push({ start: at, end });
    at = afterBlanks(text, end);
    if (text[at] === ',') at = afterBlanks(text, at + 1);
  }
  return elements;
}

/** Replaces parts of a text. The parts must not overlap. */
export function replaceSpans(text: string, edits: readonly (TextSpan & { by: string })[]): string {
  let result = '';
  let at = 0;
  for (const { start, end, by } of [...edits].sort((one, other) => one.start - other.start)) {
    result += text.slice(at, start) + by;
    at = end;
  }
  return result + text.slice(at);
}

/**
 * Returns a key or name as the most tolerant reader reads it: without case, and up to the first NUL. Some readers, such
 * as those in Go, also read "\u017f" as "s" and "\u212a" as "k".
 */
export function foldedKey(key: string): string {
  const [read = ''] = key.split('\0', 1);
  return read.toUpperCase().toLowerCase();
}

const BLANK = /[\t\n\r ]*/y;
/** A number, `true`, `false` or `null`. */
const WORD = /[-+.\w]*/y;
/** Everything in a text or structure that may open, close or quote. */
const MARK = /["{}[\]]/g;

function afterBlanks(text: string, at: number): number {
  BLANK.lastIndex = at;
  BLANK.test(text);
  return BLANK.lastIndex;
}

function endOfValue(text: string, at: number): number {
  const first = text[at];
  if (first === '"') return endOfString(text, at);
  if (first !== '{' && first !== '[') {
    WORD.lastIndex = at;
    WORD.test(text);
    return WORD.lastIndex;
  }
  let depth = 0;
  MARK.lastIndex = at;
  for (let mark = MARK.exec(text); mark !== null; mark = MARK.exec(text)) {
    if (mark[0] === '"') MARK.lastIndex = endOfString(text, mark.index);
    else depth += mark[0] === '{' || mark[0] === '[' ? 1 : -1;
    if (depth === 0) return MARK.lastIndex;
  }
  return text.length;
}

function endOfString(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
  return text.length;
}
