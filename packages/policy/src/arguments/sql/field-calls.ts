/**
 * Checks fields that may be calls. PostgreSQL reads `(x).f` as `f(x)` if x has no field with this name. It reads
 * `x.f` in the same way if x is the row of a function in FROM ("Functions on composite types" and "Function calls" in
 * its documentation). So the statement `SELECT ('/etc/passwd').pg_read_file` reads the file.
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

/**
 * Reads the field of a value in parentheses or brackets. Refuses a parenthesis after the field, because it would make
 * the field a method call.
 */
export function takeFieldOfValue(reader: TokenReader): void {
  takeSign(reader, '.');
  if (takeSign(reader, '*')) return;
  if (reader.dialect.fieldsCall && !FIELDS.has(peek(reader)?.text ?? '')) refuse(reader, MAY_CALL);
  if (!takeKind(reader, 'word', 'name')) refuse(reader);
  if (isSign(reader, '(')) refuse(reader);
}

const MAY_CALL = 'a field that may be a function';

/**
 * Records that the statement reads `row.field`. The check comes after the whole statement was read, because the row
 * is defined in FROM, and FROM comes after SELECT.
 */
export function noteFieldRead(reader: TokenReader, row: SqlToken, field: SqlToken): void {
  reader.fieldsRead.push({ row: row.text, field: field.text, at: reader.at - 1 });
}

/**
 * @param row the row that a function in FROM returns; without a name in the statement it has the name of the function
 */
export function noteRowOfFunction(reader: TokenReader, { name, columns }: RowOfFunction): void {
  if (!reader.dialect.fieldsCall) return;
  if (new TextEncoder().encode(name).length >= SHORTEST_CUT_NAME_BYTES) refuse(reader, 'a name that is cut');
  reader.rowsOfFunctions.push({ name, columns });
}

/**
 * Refuses `x.f` if x is the row of a function. It is allowed if the row has the column f, or if the function f may be
 * called. If several rows of the statement have the same name, all of them must have the column. Names of rows are
 * compared without case, so more names are equal than in PostgreSQL. Names of columns are compared with case, so
 * fewer names are equal.
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

/** If the statement gives no column names, the row has one column with the row's name. */
function hasColumn({ name, columns }: RowOfFunction, field: string): boolean {
  return columns.length === 0 ? field === name : columns.includes(field);
}
