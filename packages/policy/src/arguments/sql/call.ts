import { names, type SqlDialect } from './dialect.ts';
import { takeOrder } from './order-by.ts';
import { takeType } from './sql-type.ts';
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
import { UNITS } from './words.ts';

/** Words that are not functions, although their syntax looks like a call. They are allowed in every dialect. */
const FORMS = names('any some all row array cast extract coalesce nullif');

/** Suffixes of ClickHouse that turn an aggregate function into another one: `sumIf`, `uniqArrayIf`. */
const COMBINATORS = /(?:if|array|map|distinct|ordefault|ornull|state|merge|foreach)$/;

/**
 * True if a statement may call the function with this name. The caller has checked that the name is unquoted, because
 * dialects read quoted names in different ways.
 */
export function isCallable(name: string, { functions, name: dialect }: SqlDialect): boolean {
  if (functions.has(name) || FORMS.has(name)) return true;
  if (dialect !== 'clickhouse' || name.length > LONGEST_NAME) return false;
  for (let rest = name; COMBINATORS.test(rest); ) {
    rest = rest.replace(COMBINATORS, '');
    if (functions.has(rest)) return true;
  }
  return false;
}

const LONGEST_NAME = 100;

/** Reads the parentheses of a call and everything that may follow them. The caller has checked the name. */
export function takeCall(reader: TokenReader, name: string): void {
  takeWithin(reader, '(', ')', () => takeArguments(reader));
  // ClickHouse calls a function with parameters like this: quantile(0.5)(x).
  if (reader.dialect.name === 'clickhouse' && isSign(reader, '('))
    takeWithin(reader, '(', ')', () => takeArguments(reader));
  if (name === 'match' && takeWord(reader, 'against'))
    takeWithin(reader, '(', ')', () => takeAgainst(reader));
  if (takeWords(reader, 'within', 'group'))
    takeWithin(reader, '(', ')', () => {
      mustTakeWord(reader, 'order');
      mustTakeWord(reader, 'by');
      takeOrder(reader);
    });
  if (isWord(reader, 'filter') && isSign(reader, '(', 1)) {
    takeWord(reader, 'filter');
    takeWithin(reader, '(', ')', () => {
      mustTakeWord(reader, 'where');
      reader.take.expression(reader);
    });
  }
  takeNullTreatment(reader);
  if (takeWord(reader, 'over')) takeWindow(reader);
}

function takeNullTreatment(reader: TokenReader): void {
  if (isWord(reader, NULL_TREATMENTS) && isWord(reader, 'nulls', 1)) reader.at += 2;
}

const NULL_TREATMENTS = names('ignore respect');
const ABSENCES = names('null absent');
/** Words that may come before an argument of a call, as in `count(DISTINCT a)`. */
const BEFORE = names('distinct all both leading trailing');
/** Words between two arguments, in calls with their own syntax: `substring(a FROM 1 FOR 2)`, `trim(a FROM b)`. */
const BETWEEN = names('from for placing in separator value');

function takeArguments(reader: TokenReader): void {
  if (isQuery(reader)) {
    reader.take.query(reader);
    return;
  }
  takeWord(reader, BEFORE);
  takeWord(reader, 'from');
  // ClickHouse and DuckDB allow a comma at the end of a list.
  while (!isSign(reader, ')')) {
    reader.take.expression(reader);
    takeEndOfArgument(reader);
    if (isSign(reader, ')')) return;
    if (!takeSign(reader, ',') && !takeSign(reader, ':') && !takeWord(reader, BETWEEN)) refuse(reader);
  }
}

function takeEndOfArgument(reader: TokenReader): void {
  if (takeWord(reader, 'as')) takeType(reader);
  if (takeWord(reader, 'using')) takeKind(reader, 'word');
  takeNullTreatment(reader);
  if (takeWords(reader, 'order', 'by')) takeOrder(reader);
  if (isWord(reader, 'separator')) {
    reader.at += 1;
    if (!takeKind(reader, 'literal', 'name')) refuse(reader);
  }
  if (takeWord(reader, 'limit')) takeList(reader, () => reader.take.expression(reader));
  takeWords(reader, ABSENCES, 'on', 'null');
  if (takeWord(reader, 'returning')) takeType(reader);
}

/** Reads the rest of a full-text search: `AGAINST ('x' IN BOOLEAN MODE)` after `MATCH (a, b)`. */
function takeAgainst(reader: TokenReader): void {
  if (!takeKind(reader, 'literal', 'parameter')) refuse(reader);
  if (!takeWords(reader, 'in', 'boolean', 'mode')) takeWords(reader, 'in', 'natural', 'language', 'mode');
  takeWords(reader, 'with', 'query', 'expansion');
}

/** True if the next tokens begin a query, not an expression. */
export function isQuery(reader: TokenReader): boolean {
  if (isWord(reader, reader.dialect.fromFirst ? QUERY_OR_FROM : QUERY)) return true;
  return isWord(reader, 'values') && (isSign(reader, '(', 1) || isWord(reader, 'row', 1));
}

const QUERY = names('select with');
const QUERY_OR_FROM = names('select with from');
const FRAMES = names('rows range groups');
/**
 * All words that may bound a window, as in `ROWS BETWEEN 1 PRECEDING AND CURRENT ROW`. Expressions may come between
 * these words.
 */
const FRAME_WORDS = names(
  'between and unbounded preceding following current row exclude ties group no others interval',
);

/** Reads the text after OVER: a name, or `(PARTITION BY a ORDER BY b ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)`. */
export function takeWindow(reader: TokenReader): void {
  if (takeKind(reader, 'word', 'name')) return;
  takeWithin(reader, '(', ')', () => {
    if (!isWord(reader, 'partition') && !isWord(reader, 'order') && !isWord(reader, FRAMES))
      takeKind(reader, 'word', 'name');
    if (takeWords(reader, 'partition', 'by')) takeList(reader, () => reader.take.expression(reader));
    if (takeWords(reader, 'order', 'by')) takeOrder(reader);
    if (!takeWord(reader, FRAMES)) return;
    while (peek(reader) !== undefined && !isSign(reader, ')'))
      if (
        !takeWord(reader, FRAME_WORDS) &&
        !takeWord(reader, UNITS) &&
        !takeKind(reader, 'number', 'literal')
      )
        refuse(reader);
  });
}
