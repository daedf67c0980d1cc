import type { SqlDialect } from './dialect.ts';
import { SqlRefused } from './sql-refused.ts';
import type { SqlToken } from './tokens.ts';

/** A field read as `row.field`. */
interface FieldRead {
  readonly row: string;
  readonly field: string;
  /** The index of the field's token. */
  readonly at: number;
}

/** The row that a function in FROM returns: `unnest(a) AS name (column)`. */
export interface RowOfFunction {
  readonly name: string;
  readonly columns: readonly string[];
}

/**
 * The state of reading a statement. Each function of the grammar reads some tokens and moves the position forward,
 * never back.
 */
export interface TokenReader {
  readonly dialect: SqlDialect;
  readonly tokens: readonly SqlToken[];
  /**
   * The functions of the grammar that call one another. The reader contains them, because files must not import each
   * other in circles.
   */
  readonly take: {
    readonly query: (reader: TokenReader) => void;
    /**
     * Reads the clauses after the first part of a query, such as UNION or LIMIT. Reads nothing if no clause follows.
     */
    readonly clauses: (reader: TokenReader) => void;
    readonly expression: (reader: TokenReader) => void;
  };
  /** Every `row.field` that the statement reads. */
  readonly fieldsRead: FieldRead[];
  /** The rows that functions in FROM return, each with its name in the statement. */
  readonly rowsOfFunctions: RowOfFunction[];
  /** The index of the next token. */
  at: number;
  depth: number;
}

/**
 * The deepest nesting of a statement. A parenthesis counts as two levels. Each level takes some frames of the
 * JavaScript stack.
 */
const MOST_LEVELS = 128;

/** Returns the next token, or the token at a distance of `ahead` after it. */
export function peek(reader: TokenReader, ahead = 0): SqlToken | undefined {
  return reader.tokens[reader.at + ahead];
}

export function isSign(reader: TokenReader, text: string, ahead = 0): boolean {
  const token = peek(reader, ahead);
  return token?.kind === 'sign' && token.text === text;
}

/** True if the next token is one of these words, without quotes. */
export function isWord(reader: TokenReader, words: ReadonlySet<string> | string, ahead = 0): boolean {
  const word = wordAhead(reader, ahead);
  return word !== null && (typeof words === 'string' ? word === words : words.has(word));
}

/** Returns the next token in lower case if it is an unquoted word, otherwise null. */
export function wordAhead(reader: TokenReader, ahead = 0): string | null {
  const token = peek(reader, ahead);
  return token?.kind === 'word' ? token.text : null;
}

export function takeSign(reader: TokenReader, text: string): boolean {
  const is = isSign(reader, text);
  if (is) reader.at += 1;
  return is;
}

export function takeWord(reader: TokenReader, word: ReadonlySet<string> | string): boolean {
  const is = isWord(reader, word);
  if (is) reader.at += 1;
  return is;
}

/** Reads these words if all of them follow, otherwise none of them. */
export function takeWords(
  reader: TokenReader,
  first: ReadonlySet<string> | string,
  ...others: readonly (ReadonlySet<string> | string)[]
): boolean {
  if (!isWord(reader, first) || !others.every((word, at) => isWord(reader, word, at + 1))) return false;
  reader.at += 1 + others.length;
  return true;
}

export function takeKind(reader: TokenReader, ...kinds: readonly SqlToken['kind'][]): boolean {
  const token = peek(reader);
  if (token === undefined || !kinds.includes(token.kind)) return false;
  reader.at += 1;
  return true;
}

export function mustTakeSign(reader: TokenReader, text: string): void {
  if (!takeSign(reader, text)) refuse(reader);
}

export function mustTakeWord(reader: TokenReader, word: ReadonlySet<string> | string): void {
  if (!takeWord(reader, word)) refuse(reader);
}

/** Reads a list with commas between its items. */
export function takeList(reader: TokenReader, take: () => void): void {
  do take();
  while (takeSign(reader, ','));
}

/** Reads an opening bracket, the content that `take` reads, and the closing bracket. */
export function takeWithin(reader: TokenReader, open: string, close: string, take: () => void): void {
  mustTakeSign(reader, open);
  nested(reader, take);
  mustTakeSign(reader, close);
}

/** @throws SqlRefused if the nesting is deeper than `MOST_LEVELS` */
export function nested(reader: TokenReader, take: () => void): void {
  if (reader.depth === MOST_LEVELS) refuse(reader, `more than ${MOST_LEVELS} levels`);
  reader.depth += 1;
  take();
  reader.depth -= 1;
}

/**
 * Throws SqlRefused. The message contains words of the grammar. It never contains words of the text, because they may
 * be secret.
 */
export function refuse(reader: TokenReader, what?: string): never {
  const token = peek(reader);
  const end = reader.tokens.at(-1);
  if (token === undefined) throw new SqlRefused(what ?? 'an end where more must follow', end?.at ?? 0);
  throw new SqlRefused(what ?? `a part that is not known to only read in ${reader.dialect.name}`, token.at);
}
