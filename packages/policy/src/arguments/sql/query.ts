import { isCallable, takeWindow } from './call.ts';
import { names } from './dialect.ts';
import { takeAlias, takeFrom } from './from-clause.ts';
import { takeOrder } from './order-by.ts';
import { takeNames } from './relation.ts';
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
  wordAhead,
} from './token-reader.ts';

/** Reads a query: WITH, then SELECT, VALUES or parentheses, then clauses and further queries in any order. */
export function takeQuery(reader: TokenReader): void {
  if (takeWord(reader, 'with')) takeCommonTables(reader);
  takeTerm(reader);
  takeClauses(reader);
}

function takeCommonTables(reader: TokenReader): void {
  takeWord(reader, 'recursive');
  takeList(reader, () => {
    if (isCommonTable(reader)) takeCommonTable(reader);
    else takeNamedValue(reader);
  });
}

/** Reads ClickHouse's `WITH 1 AS one`. */
function takeNamedValue(reader: TokenReader): void {
  reader.take.expression(reader);
  mustTakeWord(reader, 'as');
  if (!takeKind(reader, 'word', 'name')) refuse(reader);
}

function isCommonTable(reader: TokenReader): boolean {
  const kind = peek(reader)?.kind;
  if (kind !== 'word' && kind !== 'name') return false;
  if (isWord(reader, 'as', 1)) return isSign(reader, '(', 2) || isWord(reader, MATERIALIZATION, 2);
  if (!isSign(reader, '(', 1)) return false;
  // ClickHouse also accepts a call here: WITH now() AS moment.
  return reader.dialect.name !== 'clickhouse' || !isCallable(peek(reader)?.text ?? '', reader.dialect);
}

const MATERIALIZATION = names('not materialized');

function takeCommonTable(reader: TokenReader): void {
  takeKind(reader, 'word', 'name');
  if (isSign(reader, '(')) takeNames(reader);
  mustTakeWord(reader, 'as');
  takeWord(reader, 'not');
  takeWord(reader, 'materialized');
  takeWithin(reader, '(', ')', () => takeQuery(reader));
}

function takeTerm(reader: TokenReader): void {
  if (takeWord(reader, 'select')) takeSelection(reader);
  else if (isSign(reader, '(')) takeWithin(reader, '(', ')', () => takeQuery(reader));
  else if (takeWord(reader, 'values')) takeRows(reader);
  else if (reader.dialect.fromFirst && takeWord(reader, 'from')) {
    takeFrom(reader);
    if (takeWord(reader, 'select')) takeSelection(reader);
  } else refuse(reader);
}

/** Reads `VALUES (1, 'a'), (2, 'b')`. */
function takeRows(reader: TokenReader): void {
  takeList(reader, () => {
    takeWord(reader, 'row');
    takeWithin(reader, '(', ')', () => takeList(reader, () => reader.take.expression(reader)));
  });
}

function takeSelection(reader: TokenReader): void {
  if (takeWord(reader, 'distinct')) {
    if (takeWord(reader, 'on')) takeWithin(reader, '(', ')', () => takeExpressions(reader));
  } else takeWord(reader, 'all');
  // PostgreSQL allows queries without columns, and DuckDB allows a comma at the end.
  if (isWord(reader, 'from')) return;
  takeList(reader, () => {
    if (isWord(reader, 'from')) return;
    reader.take.expression(reader);
    takeAlias(reader);
  });
}

function takeExpressions(reader: TokenReader): void {
  takeList(reader, () => reader.take.expression(reader));
}

const CLAUSES: ReadonlyMap<string, (reader: TokenReader) => void> = new Map([
  ['from', takeFrom],
  ['where', takeOneExpression],
  ['prewhere', takeOneExpression],
  ['having', takeOneExpression],
  ['qualify', takeOneExpression],
  ['group', takeGroups],
  ['window', takeWindows],
  ['order', takeOrdering],
  ['limit', takeLimit],
  ['offset', takeOffset],
  ['fetch', takeFetch],
  ['union', takeNextQuery],
  ['intersect', takeNextQuery],
  ['except', takeNextQuery],
  ['with', takeTotals],
  ['interpolate', takeInterpolation],
  ['format', takeFormat],
]);

export function takeClauses(reader: TokenReader): void {
  for (;;) {
    const clause = CLAUSES.get(wordAhead(reader) ?? '');
    if (clause === undefined) return;
    reader.at += 1;
    clause(reader);
  }
}

function takeOneExpression(reader: TokenReader): void {
  reader.take.expression(reader);
}

/** Reads groups of several sets: `GROUPING SETS ((a), ())`, `ROLLUP (a, b)`. */
function takeGroups(reader: TokenReader): void {
  mustTakeWord(reader, 'by');
  if (takeWord(reader, 'all')) return;
  takeWord(reader, 'distinct');
  takeList(reader, () => {
    if (takeWords(reader, 'grouping', 'sets') || (isSign(reader, '(', 1) && takeWord(reader, SETS)))
      takeWithin(reader, '(', ')', () => takeExpressions(reader));
    else reader.take.expression(reader);
  });
}

const SETS = names('rollup cube');

const TOTALS = names('rollup cube totals ties');

/** Reads `GROUP BY a WITH ROLLUP` or `LIMIT 1 WITH TIES`. */
function takeTotals(reader: TokenReader): void {
  mustTakeWord(reader, TOTALS);
}

function takeWindows(reader: TokenReader): void {
  takeList(reader, () => {
    if (!takeKind(reader, 'word', 'name')) refuse(reader);
    mustTakeWord(reader, 'as');
    takeWindow(reader);
  });
}

function takeOrdering(reader: TokenReader): void {
  mustTakeWord(reader, 'by');
  takeOrder(reader);
}

/** Reads `LIMIT 10`, `LIMIT 5, 10`, `LIMIT 1 BY a` or `LIMIT ALL`. */
function takeLimit(reader: TokenReader): void {
  if (takeWord(reader, 'all')) return;
  takeExpressions(reader);
  takeSign(reader, '%');
  if (takeWord(reader, 'offset')) takeOffset(reader);
  if (takeWord(reader, 'by')) takeExpressions(reader);
}

function takeOffset(reader: TokenReader): void {
  reader.take.expression(reader);
  takeWord(reader, ROWS);
}

const ROWS = names('row rows');

const FIRST = names('first next');

/** Reads `FETCH FIRST 5 ROWS ONLY`. */
function takeFetch(reader: TokenReader): void {
  mustTakeWord(reader, FIRST);
  if (!isWord(reader, ROWS)) reader.take.expression(reader);
  takeWord(reader, 'percent');
  mustTakeWord(reader, ROWS);
  if (!takeWord(reader, 'only') && !takeWords(reader, 'with', 'ties')) refuse(reader);
}

function takeNextQuery(reader: TokenReader): void {
  if (!takeWord(reader, 'all')) takeWord(reader, 'distinct');
  takeWords(reader, 'by', 'name');
  if (isWord(reader, 'with')) takeQuery(reader);
  else takeTerm(reader);
}

/** Reads ClickHouse's `INTERPOLATE (a AS a + 1)`. */
function takeInterpolation(reader: TokenReader): void {
  if (!isSign(reader, '(')) return;
  takeWithin(reader, '(', ')', () =>
    takeList(reader, () => {
      if (!takeKind(reader, 'word', 'name')) refuse(reader);
      if (takeWord(reader, 'as')) reader.take.expression(reader);
    }),
  );
}

/** Reads ClickHouse's FORMAT, which names the output format of the answer. */
function takeFormat(reader: TokenReader): void {
  if (reader.dialect.name !== 'clickhouse' || !takeKind(reader, 'word')) refuse(reader);
}
