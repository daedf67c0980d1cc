import { isQuery } from './call.ts';
import { names } from './dialect.ts';
import { noteRowOfFunction } from './field-calls.ts';
import { isPlainName, takeNames, takeRelation } from './relation.ts';
import { takeType } from './sql-type.ts';
import { takeTableOptions } from './table-options.ts';
import {
  isSign,
  isWord,
  mustTakeWord,
  peek,
  refuse,
  type TokenReader,
  takeKind,
  takeList,
  takeSign,
  takeWithin,
  takeWord,
  takeWords,
} from './token-reader.ts';
import type { SqlToken } from './tokens.ts';
import { FORM_WORDS, NO_BARE_ALIAS, WRITING_WORDS } from './words.ts';

const JOIN_WORDS = names(
  'natural inner left right full outer cross any all asof semi anti global positional straight_join join',
);

/** Reads FROM: tables with plain names, queries, and calls of allowed functions. */
export function takeFrom(reader: TokenReader): void {
  takeTable(reader);
  while (takeFurtherTable(reader));
}

function takeFurtherTable(reader: TokenReader): boolean {
  if (isArrayJoin(reader)) takeArrayJoin(reader);
  else if (takeSign(reader, ',') || takeJoin(reader)) takeTable(reader);
  else if (takeWord(reader, 'on')) reader.take.expression(reader);
  else if (isWord(reader, 'using') && isSign(reader, '(', 1)) {
    reader.at += 1;
    takeNames(reader);
  } else return false;
  return true;
}

function takeJoin(reader: TokenReader): boolean {
  let ahead = 0;
  let last: string | undefined;
  while (isWord(reader, JOIN_WORDS, ahead)) {
    last = peek(reader, ahead)?.text;
    ahead += 1;
  }
  if (last !== 'join' && last !== 'straight_join') return false;
  reader.at += ahead;
  return true;
}

/** True for ClickHouse's `LEFT ARRAY JOIN a AS b`. */
function isArrayJoin(reader: TokenReader): boolean {
  const ahead = isWord(reader, 'left') ? 1 : 0;
  return isWord(reader, 'array', ahead) && isWord(reader, 'join', ahead + 1);
}

function takeArrayJoin(reader: TokenReader): void {
  takeWord(reader, 'left');
  mustTakeWord(reader, 'array');
  mustTakeWord(reader, 'join');
  takeList(reader, () => {
    reader.take.expression(reader);
    takeAlias(reader);
  });
}

/** @returns the alias of the table */
function takeTable(reader: TokenReader): TableAlias {
  takeWord(reader, 'lateral');
  takeWord(reader, 'only');
  const called = isTableFunction(reader) ? peek(reader) : undefined;
  if (isSign(reader, '(')) takeDerived(reader);
  else if (called !== undefined) takeTableFunction(reader, called.text);
  else takeRelation(reader);
  takeTableOptions(reader);
  const alias = takeTableAlias(reader);
  takeTableOptions(reader);
  if (called !== undefined) noteRowOfFunction(reader, { ...alias, name: alias.name ?? called.text });
  return alias;
}

/**
 * Reads `(SELECT …)`, `(VALUES …)` or `(a JOIN b ON …)`. A single table in parentheses may have no alias inside:
 * PostgreSQL reads `(TABLE a)` as a query, and DuckDB reads `(SUMMARIZE a)` as a query.
 */
function takeDerived(reader: TokenReader): void {
  takeWithin(reader, '(', ')', () => {
    if (isQuery(reader)) reader.take.query(reader);
    else if (isSign(reader, '(')) {
      takeFrom(reader);
      reader.take.clauses(reader);
    } else {
      const { name } = takeTable(reader);
      if (name !== null && !takeFurtherTable(reader)) refuse(reader);
      while (takeFurtherTable(reader));
    }
  });
}

function isTableFunction(reader: TokenReader): boolean {
  return peek(reader)?.kind === 'word' && isSign(reader, '(', 1);
}

function takeTableFunction(reader: TokenReader, name: string): void {
  if (!reader.dialect.tableFunctions.has(name))
    refuse(reader, `a function in FROM that is not on the list for ${reader.dialect.name}`);
  reader.at += 1;
  takeWithin(reader, '(', ')', () => {
    if (isQuery(reader)) reader.take.query(reader);
    else if (!isSign(reader, ')'))
      takeList(reader, () => {
        reader.take.expression(reader);
        if (isWord(reader, 'columns')) takeColumns(reader);
      });
  });
  takeWords(reader, 'with', 'ordinality');
}

/** Words of JSON_TABLE that may come before a parenthesis. Some of them are types. */
const COLUMN_CALLS = names(
  'columns char varchar decimal numeric int integer tinyint smallint bigint binary datetime time timestamp',
  'float double',
);

/** Reads `COLUMNS (a INT PATH '$.a', NESTED PATH '$.b' COLUMNS (…))` of JSON_TABLE. */
function takeColumns(reader: TokenReader): void {
  mustTakeWord(reader, 'columns');
  takeColumnList(reader);
}

function takeColumnList(reader: TokenReader): void {
  takeWithin(reader, '(', ')', () => {
    while (!isSign(reader, ')')) {
      if (isSign(reader, '(')) takeColumnList(reader);
      else if (isWord(reader, WRITING_WORDS)) refuse(reader);
      else if (isSign(reader, '(', 1) && !isWord(reader, COLUMN_CALLS)) refuse(reader);
      else if (!takeSign(reader, ',') && !takeKind(reader, 'word', 'name', 'number', 'literal'))
        refuse(reader);
    }
  });
}

interface TableAlias {
  readonly name: string | null;
  readonly columns: readonly string[];
}

/**
 * Reads `AS name (column)`. The name must be as plain as the name of a table, because DuckDB could read it as a file.
 */
function takeTableAlias(reader: TokenReader): TableAlias {
  const hasAs = takeWord(reader, 'as');
  const alias = peek(reader);
  const isPlain = alias?.kind === 'word' || (alias?.kind === 'name' && isPlainName(alias));
  const isNamed = isPlain && takeAliasName(reader, hasAs);
  if (hasAs && !isNamed && !isSign(reader, '(')) refuse(reader);
  const columns = (hasAs || isNamed) && isSign(reader, '(') ? takeColumnDefinitions(reader) : [];
  return { name: isNamed ? alias.text : null, columns };
}

/** Reads `(a, b)`, or `(a int, b text)` for a function that returns records. */
function takeColumnDefinitions(reader: TokenReader): readonly string[] {
  const columns: string[] = [];
  takeWithin(reader, '(', ')', () =>
    takeList(reader, () => {
      columns.push(peek(reader)?.text ?? '');
      if (!takeKind(reader, 'word', 'name')) refuse(reader);
      if (!isSign(reader, ',') && !isSign(reader, ')')) takeType(reader);
    }),
  );
  return columns;
}

/** Reads `AS name`, or a name alone. */
export function takeAlias(reader: TokenReader): boolean {
  return takeAliasName(reader, takeWord(reader, 'as'));
}

function takeAliasName(reader: TokenReader, hasAs: boolean): boolean {
  const isAlias = isAliasName(peek(reader), hasAs);
  if (hasAs && !isAlias) refuse(reader);
  if (isAlias) reader.at += 1;
  return isAlias;
}

function isAliasName(token: SqlToken | undefined, hasAs: boolean): boolean {
  if (token?.kind !== 'word') return token?.kind === 'name' || token?.kind === 'literal';
  const { text } = token;
  return !WRITING_WORDS.has(text) && (hasAs || (!FORM_WORDS.has(text) && !NO_BARE_ALIAS.has(text)));
}
