/**
 * Fields that may be calls. PostgreSQL reads `(x).f` as `f(x)` if x has no field with this name. It also reads `x.f`
 * so if x is the row of a function in FROM ("Functions on composite types" and "Function calls" in its
 * documentation). The statement `SELECT ('/etc/passwd').pg_read_file` therefore reads the file.
 */
import { isCallable } from './call.ts';
import { names } from './dialect.ts';
import {
  isSign,
  peek,
  type RowOfFunction,
  refuse,
  type TokenReader,
  takeKind,
  takeSign,
} from './token-reader.ts';
import type { SqlToken } from './tokens.ts';

/** Fields of the rows that JSON functions return. PostgreSQL has no functions with these names. */
const FIELDS = names('key value ordinality');

/**
 * PostgreSQL cuts names to 63 bytes, or to fewer if the last letter would be split. Two longer names may become the
 * same name.
 */
const SHORTEST_CUT_NAME_BYTES = 60;

/** Takes the field of a value in parentheses or brackets. A parenthesis after the field would be a method call. */
export function takeFieldOfValue(reader: TokenReader): void {
  takeSign(reader, '.');
  if (takeSign(reader, '*')) return;
  if (reader.dialect.fieldsCall && !FIELDS.has(peek(reader)?.text ?? '')) refuse(reader, MAY_CALL);
  if (!takeKind(reader, 'word', 'name')) refuse(reader);
  if (isSign(reader, '(')) refuse(reader);
}

const MAY_CALL = 'a field that may be a function';

/** Keeps `row.field` until the whole statement is read, because SELECT comes before FROM. */
export function noteFieldRead(reader: TokenReader, row: SqlToken, field: SqlToken): void {
  reader.fieldsRead.push({ row: row.text, field: field.text, at: reader.at - 1 });
}

/** @param row if the statement gives the row no name, it has the name of the function */
export function noteRowOfFunction(reader: TokenReader, { name, columns }: RowOfFunction): void {
  if (!reader.dialect.fieldsCall) return;
  if (new TextEncoder().encode(name).length >= SHORTEST_CUT_NAME_BYTES) refuse(reader, 'a name that is cut');
  reader.rowsOfFunctions.push({ name, columns });
}

/**
 * Refuses `x.f` if x is the row of a function, unless the row has the column f, or f may be called. If several rows
 * of the statement have this name, all of them must have the column. Names of rows are compared without case, which
 * finds more rows than PostgreSQL does. Names of columns are compared with case, which finds fewer columns.
 *
 * @throws SqlRefused
 */
export function checkFieldsRead(reader: TokenReader): void {
  const rows = Map.groupBy(reader.rowsOfFunctions, ({ name }) => name.toLowerCase());
  for (const { row, field, at } of reader.fieldsRead) {
    if (FIELDS.has(field) || isCallable(field, reader.dialect)) continue;
    if (rows.get(row.toLowerCase())?.every((one) => hasColumn(one, field)) === false) {
      reader.at = at;
      refuse(reader, MAY_CALL);
    }
  }
}

/** If the statement gives no column names, the column has the name of the row. */
function hasColumn({ name, columns }: RowOfFunction, field: string): boolean {
  return columns.length === 0 ? field === name : columns.includes(field);
}
