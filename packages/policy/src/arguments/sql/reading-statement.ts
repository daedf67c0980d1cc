import { isQuery } from './call.ts';
import { names, type SqlDialect } from './dialect.ts';
import { takeExpression } from './expression.ts';
import { checkFieldsRead } from './field-calls.ts';
import { takeClauses, takeQuery } from './query.ts';
import { takeRelation } from './relation.ts';
import { SqlRefused } from './sql-refused.ts';
import {
  isSign,
  isWord,
  nested,
  peek,
  refuse,
  type TokenReader,
  takeKind,
  takeSign,
  takeWithin,
  takeWord,
  takeWords,
  wordAhead,
} from './token-reader.ts';
import { sqlTokens } from './tokens.ts';

/**
 * Returns null if a text is one statement that is known to only read. Otherwise returns the reason, which completes
 * the phrase "without …".
 *
 * The grammar lists what is allowed, and refuses every unknown word, sign or function. It also accepts some texts
 * that are not valid SQL, if they cannot do harm: for example, it does not know which operand an operator takes.
 */
export function whyNotReadOnly(sql: string, dialect: SqlDialect): string | null {
  try {
    const tokens = sqlTokens(sql, dialect);
    const take = { query: takeNestedQuery, clauses: takeClauses, expression: takeExpression };
    const reader = { dialect, tokens, take, fieldsRead: [], rowsOfFunctions: [], at: 0, depth: 0 };
    takeStatement(reader);
    checkFieldsRead(reader);
    return null;
  } catch (error) {
    if (error instanceof SqlRefused) return error.message;
    throw error;
  }
}

function takeNestedQuery(reader: TokenReader): void {
  nested(reader, () => takeQuery(reader));
}

function takeStatement(reader: TokenReader): void {
  if (peek(reader) === undefined) throw new SqlRefused('being empty', 0);
  if (takeWord(reader, 'explain')) takeExplain(reader);
  else if (takeWord(reader, DESCRIBE)) takeDescribe(reader);
  else if (takeWord(reader, 'show')) takeShow(reader);
  else if (takeWord(reader, 'pragma')) takePragma(reader);
  else if (isQuery(reader) || isSign(reader, '(')) takeQuery(reader);
  else refuse(reader, 'beginning otherwise than with a word that reads');
  const hasEnd = takeSign(reader, ';');
  if (peek(reader) !== undefined) refuse(reader, hasEnd ? 'a second statement' : undefined);
}

const DESCRIBE = names('describe desc');
const EXPLAIN_WORDS = names(
  'analyze analyse verbose query plan extended partitions format json tree traditional text ast syntax',
  'pipeline estimate current',
);

/** Reads EXPLAIN and its query. EXPLAIN ANALYZE also runs the query, so the query must only read. */
function takeExplain(reader: TokenReader): void {
  if (isSign(reader, '(') && isWord(reader, EXPLAIN_OPTIONS, 1))
    takeWithin(reader, '(', ')', () => {
      while (takeKind(reader, 'word', 'number', 'literal') || takeSign(reader, ','));
    });
  else while (takeExplainOption(reader));
  takeQuery(reader);
}

const EXPLAIN_OPTIONS = names(
  'analyze verbose costs settings generic_plan buffers serialize wal timing summary memory format',
);

/** Reads `ANALYZE`, `FORMAT = JSON` or ClickHouse's `indexes = 1,`. */
function takeExplainOption(reader: TokenReader): boolean {
  if (takeWord(reader, EXPLAIN_WORDS)) {
    if (takeSign(reader, '=')) takeKind(reader, 'word');
    return true;
  }
  if (peek(reader)?.kind === 'word' && isSign(reader, '=', 1) && peek(reader, 2)?.kind === 'number') {
    reader.at += 3;
    takeSign(reader, ',');
    return true;
  }
  return false;
}

/** Reads `DESCRIBE t`, `DESCRIBE TABLE t`, MySQL's `DESCRIBE t column` or DuckDB's `DESCRIBE SELECT …`. */
function takeDescribe(reader: TokenReader): void {
  if (isQuery(reader)) takeQuery(reader);
  else {
    takeWord(reader, 'table');
    takeRelation(reader);
    takeKind(reader, 'word', 'name', 'literal');
  }
}

/**
 * Reads `SHOW TABLES FROM a LIKE 'b%'` or `SHOW CREATE TABLE a`. In PostgreSQL, reads `SHOW` and the name of a
 * setting.
 */
function takeShow(reader: TokenReader): void {
  const { show, name } = reader.dialect;
  if (show === null) {
    if (!takeKind(reader, 'word')) refuse(reader);
    if (takeSign(reader, '.') && !takeKind(reader, 'word')) refuse(reader);
    return;
  }
  if (name !== 'duckdb' && !isWord(reader, show)) refuse(reader);
  while (takeWords(reader, show));
  if (peek(reader)?.kind === 'name' || (wordAhead(reader) !== null && !isWord(reader, SHOW_CLAUSES)))
    takeRelation(reader);
  while (takeWord(reader, SHOWN_OF)) takeRelation(reader);
  if (takeWord(reader, LIKES) && !takeKind(reader, 'literal')) refuse(reader);
  if (takeWord(reader, 'where')) takeExpression(reader);
}

const SHOWN_OF = names('from in');
const LIKES = names('like ilike');
const SHOW_CLAUSES = names('from in like ilike where');

/** Reads `PRAGMA table_info(t)`. Refuses `= 1` after a pragma, because it changes a setting. */
function takePragma(reader: TokenReader): void {
  if (isSign(reader, '.', 1) && !takeKind(reader, 'word', 'name')) refuse(reader);
  takeSign(reader, '.');
  if (!isWord(reader, reader.dialect.pragmas)) refuse(reader, 'a pragma that is not known to only read');
  reader.at += 1;
  if (!isSign(reader, '(')) return;
  takeWithin(reader, '(', ')', () => {
    if (!takeKind(reader, 'word', 'name', 'literal', 'number')) refuse(reader);
  });
}
