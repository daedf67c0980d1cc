import { isCallable, isQuery, takeCall } from './call.ts';
import { names } from './dialect.ts';
import { noteFieldRead } from './field-calls.ts';
import { checkRelation } from './relation.ts';
import { takeType } from './sql-type.ts';
import {
  isSign,
  isWord,
  mustTakeSign,
  mustTakeWord,
  peek,
  refuse,
  type TokenReader,
  takeKind,
  takeList,
  takeSign,
  takeWithin,
  takeWord,
} from './token-reader.ts';
import type { SqlToken } from './tokens.ts';
import { FORM_WORDS, UNITS, WRITING_WORDS } from './words.ts';

const PREFIXES = names('not binary exists prior');

/** Reads an operand, with the signs and words before it. */
export function takeOperand(reader: TokenReader): void {
  while (takePrefix(reader));
  const token = peek(reader);
  if (token?.kind === 'word') takeFromWord(reader, token.text);
  else if (token?.kind === 'name') takeChain(reader);
  else if (token?.kind === 'literal') takeLiterals(reader);
  else if (!takeKind(reader, 'number', 'parameter')) takeBracketed(reader);
}

/** Reads `-`, `~` and other operator characters before an operand. A star here means all columns. */
function takePrefix(reader: TokenReader): boolean {
  if (takeWord(reader, PREFIXES)) return true;
  const token = peek(reader);
  if (token?.kind !== 'sign' || token.text === '*' || !isOperator(reader, token.text)) return false;
  reader.at += 1;
  return true;
}

/** True if operators of the dialect consist of these characters. */
export function isOperator({ dialect }: TokenReader, sign: string): boolean {
  if (sign === '=>') return true;
  return sign === ':=' ? dialect.colonEquals : sign.length === 1 && dialect.lexis.operators.includes(sign);
}

/** Reads string literals. Adjacent literals form one string. */
function takeLiterals(reader: TokenReader): void {
  while (takeKind(reader, 'literal'));
}

function takeBracketed(reader: TokenReader): void {
  if (isSign(reader, '(')) takeParentheses(reader);
  else if (isSign(reader, '[')) takeWithin(reader, '[', ']', () => takeItems(reader, ']'));
  else if (isSign(reader, '{')) takeWithin(reader, '{', '}', () => takeMembers(reader));
  else {
    mustTakeSign(reader, '*');
    takeStarOptions(reader);
  }
}

/** Reads parentheses with a query or with expressions: `(1, 2)`, `()`. */
function takeParentheses(reader: TokenReader): void {
  takeWithin(reader, '(', ')', () => {
    if (isQuery(reader)) reader.take.query(reader);
    else {
      const mayBeQuery = isSign(reader, '(');
      takeItems(reader, ')');
      // A query in parentheses may continue after its first part, as in ((SELECT 1) UNION (SELECT 2)).
      if (mayBeQuery) reader.take.clauses(reader);
    }
  });
}

function takeItems(reader: TokenReader, close: string): void {
  if (isSign(reader, close)) return;
  takeList(reader, () => {
    // In some dialects a list may have a comma at its end.
    if (isSign(reader, close)) return;
    reader.take.expression(reader);
    if (takeWord(reader, 'as')) takeType(reader);
  });
}

/** Reads `{'a': 1, b: 2}`. */
function takeMembers(reader: TokenReader): void {
  takeList(reader, () => {
    if (!takeKind(reader, 'literal', 'word', 'name', 'number')) refuse(reader);
    mustTakeSign(reader, ':');
    reader.take.expression(reader);
  });
}

const STARS = names('except exclude replace rename');

/** Reads `* EXCEPT (a, b)` or `* REPLACE (a + 1 AS a)`. */
function takeStarOptions(reader: TokenReader): void {
  while (isWord(reader, STARS) && (isSign(reader, '(', 1) || isName(reader, 1))) {
    reader.at += 1;
    if (isSign(reader, '(')) takeParentheses(reader);
    else reader.at += 1;
  }
}

function isName(reader: TokenReader, ahead: number): boolean {
  const token = peek(reader, ahead);
  if (token?.kind === 'name') return true;
  return token?.kind === 'word' && !FORM_WORDS.has(token.text) && token.text !== 'all';
}

function takeFromWord(reader: TokenReader, word: string): void {
  if (word === 'case') takeCase(reader);
  else if (word === 'interval' && isIntervalAhead(reader)) takeInterval(reader);
  else if (word === 'lambda' && reader.dialect.name === 'duckdb' && isName(reader, 1)) takeLambda(reader);
  else if (word === 'array' && isSign(reader, '[', 1)) {
    reader.at += 1;
    takeBracketed(reader);
  } else {
    const isCall = isSign(reader, '(', 1) && isCallable(word, reader.dialect);
    if (!isCall && (FORM_WORDS.has(word) || WRITING_WORDS.has(word))) refuse(reader);
    takeChain(reader);
  }
}

/** Reads a column, a constant such as CURRENT_DATE, a typed literal (`date '2026-01-01'`) or a call. */
function takeChain(reader: TokenReader): void {
  const parts: SqlToken[] = [];
  do {
    if (parts.length > 0 && takeSign(reader, '*')) {
      takeStarOptions(reader);
      return;
    }
    const part = peek(reader);
    if (part === undefined || !takeKind(reader, 'word', 'name')) refuse(reader);
    parts.push(part);
  } while (takeSign(reader, '.'));
  const [first, second] = parts;
  const last = parts.at(-1);
  if (second !== undefined && SEQUENCES.has(last?.text.toLowerCase() ?? '')) {
    reader.at -= 1;
    refuse(reader, 'a value of a sequence');
  }
  if (!isSign(reader, '(')) {
    if (second === undefined) takeTyped(reader, first);
    else checkQualified(reader, parts);
    return;
  }
  const isOwn = second === undefined || (parts.length === 2 && isCatalog(first));
  if (!isOwn || last?.kind !== 'word' || !isCallable(last.text, reader.dialect)) {
    reader.at -= 1;
    refuse(reader, `a function that is not on the list for ${reader.dialect.name}`);
  }
  takeCall(reader, last.text);
}

function isCatalog(token: SqlToken | undefined): boolean {
  return token?.kind === 'word' && token.text === 'pg_catalog';
}

/** Checks a name such as `b.c`. It means a column, unless the dialect reads it as a table or as a call. */
function checkQualified(reader: TokenReader, parts: readonly SqlToken[]): void {
  const [row, field] = parts;
  if (row === undefined || field === undefined) return;
  if (reader.dialect.inReadsTables) checkRelation(reader, [row.text, field.text]);
  if (parts.length === 2) noteFieldRead(reader, row, field);
}

/** Reads the literal after a word if the word is the name of a type, as in `date '2026-01-01'`. */
function takeTyped(reader: TokenReader, word: SqlToken | undefined): void {
  if (word?.kind !== 'word' || !LITERAL_TYPES.has(word.text)) return;
  takeLiterals(reader);
  if (word.text === 'interval') takeUnits(reader);
}

/**
 * Types that may come before a string. DuckDB reads other words before a string as statements: `EXISTS (SUMMARIZE
 * 'file.csv')`.
 */
const LITERAL_TYPES = names(
  'date time timetz timestamp timestamptz datetime interval json jsonb uuid inet cidr macaddr bytea bit varbit',
  'int int2 int4 int8 integer bigint smallint numeric decimal float float4 float8 real double text varchar char',
  'bpchar bool boolean point box circle line lseg path polygon regclass regtype money xml blob',
);

/** Words that increment a sequence in Oracle and MariaDB, as in `name.nextval`. */
const SEQUENCES = names('nextval currval');

function takeCase(reader: TokenReader): void {
  mustTakeWord(reader, 'case');
  if (!isWord(reader, 'when')) reader.take.expression(reader);
  while (takeWord(reader, 'when')) {
    reader.take.expression(reader);
    mustTakeWord(reader, 'then');
    reader.take.expression(reader);
  }
  if (takeWord(reader, 'else')) reader.take.expression(reader);
  mustTakeWord(reader, 'end');
}

/** True for `INTERVAL 1 DAY` or `INTERVAL weekday(a) DAY`. A column may also have the name interval. */
function isIntervalAhead(reader: TokenReader): boolean {
  const next = peek(reader, 1);
  if (next?.kind === 'number' || next?.kind === 'parameter') return true;
  if (isSign(reader, '(', 1) || isSign(reader, '-', 1)) return true;
  return isName(reader, 1) && (isWord(reader, UNITS, 2) || isSign(reader, '(', 2) || isSign(reader, '.', 2));
}

function takeInterval(reader: TokenReader): void {
  mustTakeWord(reader, 'interval');
  reader.take.expression(reader);
  takeUnits(reader);
}

/** Reads `DAY` or `DAY TO SECOND`. */
function takeUnits(reader: TokenReader): void {
  if (takeWord(reader, UNITS) && takeWord(reader, 'to')) mustTakeWord(reader, UNITS);
}

/** Reads `lambda x, y: x + y`. */
function takeLambda(reader: TokenReader): void {
  mustTakeWord(reader, 'lambda');
  takeList(reader, () => {
    if (!takeKind(reader, 'word')) refuse(reader);
  });
  mustTakeSign(reader, ':');
  reader.take.expression(reader);
}
