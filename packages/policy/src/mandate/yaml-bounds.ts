/**
 * Checks the size of a document before it is parsed. The parser would take seconds for some files of the largest
 * size.
 */
import { CST, Lexer } from 'yaml';

/** `offset` counts UTF-16 units from the beginning of the file. */
export type YamlFault = { offset: number; message: string };

/**
 * The deepest nesting. Deep enough for the JSON Schema of a tool's arguments, and shallow enough for recursive
 * functions.
 */
export const MAX_DEPTH = 64;
export const TOO_DEEP = 'is nested too deeply';

/**
 * The most marks such as brackets, commas and line breaks in a document. Enough for ten thousand globs, or for the
 * policies of as many tools.
 */
const MOST_MARKS = 60_000;

/** Returns the first limit that the text exceeds. Null if it exceeds no limit. */
export function yamlExcess(text: string): YamlFault | null {
  const offset = nth(MARK, MOST_MARKS + 1, text);
  if (offset !== null)
    return { offset, message: `the file has more than ${MOST_MARKS} lines, items and fields: split it` };
  return depthExcess(text);
}

/**
 * Matches every character that may separate two values. `:`, `-` and `?` count only before a blank. Characters inside
 * quoted texts count too, so no parsing is needed.
 */
const MARK = /[\n,[\]{}&*#]|[-:?](?=\s)/g;

/** Matches every character that may open a collection. */
const OPENER = /[[{:?-]/g;

/** Returns the offset of the `count`-th match of a character. Null if there are fewer. */
function nth(character: RegExp, count: number, text: string): number | null {
  character.lastIndex = 0;
  for (let matches = 1; character.test(text); matches++) {
    if (matches === count) return character.lastIndex - 1;
  }
  return null;
}

/**
 * Returns the place where the nesting is too deep, or null. The text is only split into tokens, so extreme nesting is
 * found before it is parsed. Without enough openers, nothing can be nested too deeply.
 */
function depthExcess(text: string): YamlFault | null {
  if (nth(OPENER, MAX_DEPTH + 1, text) === null) return null;
  let offset = 0;
  let brackets = 0;
  /** The number of tokens in a row that each opened a collection: `- - ? -`. */
  let openers = 0;
  for (const lexeme of new Lexer().lex(text)) {
    switch (CST.tokenType(lexeme)) {
      case 'flow-map-start':
      case 'flow-seq-start':
        brackets++;
        break;
      case 'flow-map-end':
      case 'flow-seq-end':
        brackets--;
        break;
      case 'seq-item-ind':
      case 'explicit-key-ind':
      case 'map-value-ind':
        openers++;
        break;
      case 'space':
        break;
      default:
        openers = 0;
    }
    if (brackets > MAX_DEPTH || openers > MAX_DEPTH) return { offset, message: TOO_DEEP };
    if (!MARKS_OF_THE_LEXER.has(lexeme)) offset += lexeme.length;
  }
  return null;
}

/** Tokens that the lexer inserts to mark a beginning or an end. They have no text in the file. */
const MARKS_OF_THE_LEXER: ReadonlySet<string> = new Set([CST.DOCUMENT, CST.FLOW_END, CST.SCALAR]);
