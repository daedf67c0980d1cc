/**
 * What of a document is too much before anything is made of it: the parser takes seconds for what a file of the largest
 * size can hold.
 */
import { CST, Lexer } from 'yaml';

/** `offset` counts UTF-16 units of the file. */
export type YamlFault = { offset: number; message: string };

/** Deep enough for the JSON Schema of a tool's arguments, shallow enough for whatever walks it afterwards. */
export const MAX_DEPTH = 64;
export const TOO_DEEP = 'is nested too deeply';

/** Ten thousand globs, or policies of as many tools. */
const MOST_MARKS = 60_000;

/** The first thing that is too much, if any. */
export function yamlExcess(text: string): YamlFault | null {
  const offset = markTooMany(text);
  if (offset !== null)
    return { offset, message: `the file has more than ${MOST_MARKS} lines, items and fields: split it` };
  return depthExcess(text);
}

/** Whatever may part two things from one another: `:`, `-` and `?` where a blank follows. It need not look into texts. */
const MARK = /[\n,[\]{}&*#]|[-:?](?=\s)/g;

function markTooMany(text: string): number | null {
  MARK.lastIndex = 0;
  for (let count = 0; MARK.test(text); count++) {
    if (count === MOST_MARKS) {
      const offset = MARK.lastIndex - 1;
      MARK.lastIndex = 0;
      return offset;
    }
  }
  return null;
}

/** Only cut into words and marks: endless nesting is given up at once. */
function depthExcess(text: string): YamlFault | null {
  let offset = 0;
  let brackets = 0;
  /** Marks in a row that each open a collection: `- - ? -`. */
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

/** They stand for what begins or ends, and for nothing of the text. */
const MARKS_OF_THE_LEXER: ReadonlySet<string> = new Set([CST.DOCUMENT, CST.FLOW_END, CST.SCALAR]);
