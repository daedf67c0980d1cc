/** What to do about an error of the YAML parser. The message of the parser says only what is wrong. */
import type { ErrorCode } from 'yaml';

const INDENT = 'indent this line like the other entries of its map or list';
const PUNCTUATION =
  'check the indentation, the colons, commas, brackets and quotes of this line and of the line before';
const NESTED = 'check the indentation of this line; a text that contains ": " needs quotes';

const REMEDIES: Readonly<Partial<Record<ErrorCode, string>>> = {
  BAD_ALIAS: 'a glob that begins with * needs quotes: "*"',
  BAD_COLLECTION_TYPE: INDENT,
  BAD_DQ_ESCAPE: 'write each backslash twice, or put the text in single quotes',
  BAD_INDENT: INDENT,
  BAD_SCALAR_START: 'a text that begins with this character needs quotes',
  BLOCK_AS_IMPLICIT_KEY: NESTED,
  BLOCK_IN_FLOW: PUNCTUATION,
  MISSING_CHAR: PUNCTUATION,
  MULTILINE_IMPLICIT_KEY: NESTED,
  TAB_AS_INDENT: 'use blanks instead',
  UNEXPECTED_TOKEN: PUNCTUATION,
};

export function withRemedy(code: ErrorCode, message: string): string {
  const remedy = REMEDIES[code];
  return remedy === undefined ? message : `${message}; ${remedy}`;
}
