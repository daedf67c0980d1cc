import { names } from './dialect.ts';
import {
  isSign,
  mustTakeSign,
  peek,
  refuse,
  type TokenReader,
  takeKind,
  takeList,
  takeSign,
} from './token-reader.ts';
import type { SqlToken } from './tokens.ts';
import { FORM_WORDS, WRITING_WORDS } from './words.ts';

/**
 * Reads the name of a table. A quoted name must contain no character that could make a database read it as a file.
 */
export function takeRelation(reader: TokenReader): void {
  const start = reader.at;
  const parts: SqlToken[] = [];
  do {
    const token = peek(reader);
    if (token === undefined || !isPlainPart(token, parts.length)) refuse(reader);
    parts.push(token);
    reader.at += 1;
  } while (takeSign(reader, '.'));
  if (isSign(reader, '(')) refuse(reader);
  const end = reader.at;
  reader.at = start;
  checkRelation(
    reader,
    parts.map(({ text }) => text),
  );
  reader.at = end;
}

/** @throws SqlRefused at the next token, if the name is an unknown table of the system, or a file */
export function checkRelation(reader: TokenReader, parts: readonly string[]): void {
  const said = parts.map((text) => text.toLowerCase());
  const { systemSchemas, systemPrefixes, known, refused, parts: most } = reader.dialect.relations;
  const table = said.at(-1) ?? '';
  const isOfSystem =
    said.slice(0, -1).some((schema) => systemSchemas.has(schema)) ||
    systemPrefixes.some((prefix) => said.some((part) => part.startsWith(prefix)));
  if (parts.length > most || (isOfSystem && !known.has(table)) || refused?.test(said.join('.')))
    refuse(reader, `a table of the system that is not on the list for ${reader.dialect.name}`);
}

function isPlainPart(token: SqlToken, before: number): boolean {
  if (token.kind === 'word') return before > 0 || !NO_TABLE.some((words) => words.has(token.text));
  return token.kind === 'name' && isPlainName(token);
}

/** True if a quoted name has no character that a database could read as part of a file name. */
export function isPlainName({ text }: SqlToken): boolean {
  return /^[\p{L}_][\p{L}\p{M}\p{Nd}_ -]*$/u.test(text);
}

/** Words that begin a query in parentheses in some dialect: `(TABLE a)`, `(SUMMARIZE a)`. */
const QUERY_WORDS = names(
  'call desc describe explain pivot pivot_longer pivot_wider show summarize table unpivot',
);

/** Words that cannot be the name of a table unless they are quoted. */
const NO_TABLE = [FORM_WORDS, WRITING_WORDS, QUERY_WORDS];

/** Reads a list of names, such as `(a, b)`. */
export function takeNames(reader: TokenReader): void {
  mustTakeSign(reader, '(');
  if (!isSign(reader, ')'))
    takeList(reader, () => {
      if (!takeKind(reader, 'word', 'name')) refuse(reader);
    });
  mustTakeSign(reader, ')');
}
