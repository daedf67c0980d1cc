import { names } from './dialect.ts';
import { takeFieldOfValue } from './field-calls.ts';
import { isOperator, takeOperand } from './operand.ts';
import { takeType } from './sql-type.ts';
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
} from './token-reader.ts';

/**
 * Reads an expression: operands with operators between them. The precedence of operators does not matter here,
 * because operators have no side effects. The expression ends where two operands follow one another: the second is an
 * alias, a comma or a clause.
 */
export function takeExpression(reader: TokenReader): void {
  nested(reader, () => {
    do takeOperand(reader);
    while (takeOperator(reader));
  });
}

/** Words between two operands. */
const INFIXES = names(
  'and or xor like ilike rlike regexp glob match div mod between overlaps escape contains collate',
);
/** Words that may follow NOT between two operands. */
const NEGATED = names('like ilike rlike regexp glob match between similar in');
/** Words that may end an expression with IS, such as `a IS NULL`. */
const STATES = names('null true false unknown json normalized document empty');

/** Reads an operator and the words that may follow an operand. True if another operand must follow. */
function takeOperator(reader: TokenReader): boolean {
  while (takePostfix(reader));
  const token = peek(reader);
  if (token?.kind === 'sign') return takeInfixSigns(reader);
  return token?.kind === 'word' && takeInfixWords(reader);
}

function takeInfixSigns(reader: TokenReader): boolean {
  const from = reader.at;
  for (let sign = signAhead(reader); sign !== null && isOperator(reader, sign); sign = signAhead(reader))
    reader.at += 1;
  return reader.at > from;
}

function signAhead(reader: TokenReader): string | null {
  const token = peek(reader);
  return token?.kind === 'sign' ? token.text : null;
}

function takeInfixWords(reader: TokenReader): boolean {
  if (isWord(reader, 'not') && isWord(reader, NEGATED, 1)) reader.at += 1;
  // ClickHouse accepts `a GLOBAL NOT IN (…)`.
  if (isWord(reader, 'global') && isWord(reader, GLOBAL, 1)) {
    reader.at += 1;
    takeWord(reader, 'not');
  }
  if (isWord(reader, 'in')) return takeIn(reader);
  if (takeWord(reader, 'is')) {
    takeWord(reader, 'not');
    takeWords(reader, 'distinct', 'from');
    return true;
  }
  if (takeWords(reader, 'between', BOUNDS)) return true;
  return (
    takeWord(reader, INFIXES) || INFIX_PHRASES.some(([first, ...rest]) => takeWords(reader, first, ...rest))
  );
}

const GLOBAL = names('in not');
const BOUNDS = names('symmetric asymmetric');
const INFIX_PHRASES = [
  ['similar', 'to'],
  ['at', 'time', 'zone'],
  ['member', 'of'],
  ['sounds', 'like'],
] as const;

/**
 * Reads the word IN. Does not accept the name of a table after IN, because the effects of reading that table are not
 * known.
 */
function takeIn(reader: TokenReader): boolean {
  const next = peek(reader, 1);
  const isList = ['(', '[', '{'].some((open) => isSign(reader, open, 1));
  if (!isList && next?.kind !== 'parameter' && !isSign(reader, '(', 2)) return false;
  reader.at += 1;
  return true;
}

/** Reads the text that may follow an operand: `::numeric`, `[1]`, `.field`, `IS NOT NULL`, `AT LOCAL`. */
function takePostfix(reader: TokenReader): boolean {
  const token = peek(reader);
  if (token?.kind === 'sign') return takePostfixSign(reader, token.text);
  if (token?.kind === 'word') return takePostfixWords(reader);
  // ClickHouse reads `tuple.1` as a field.
  const isField = reader.dialect.name === 'clickhouse' && token?.text.startsWith('.') === true;
  return isField && takeKind(reader, 'number');
}

function takePostfixSign(reader: TokenReader, sign: string): boolean {
  if (sign === '::') {
    reader.at += 1;
    takeType(reader);
  } else if (sign === '[') takeWithin(reader, '[', ']', () => takeSubscript(reader));
  else if (sign === '.') takeFieldOfValue(reader);
  else return false;
  return true;
}

function takePostfixWords(reader: TokenReader): boolean {
  if (isWord(reader, 'is')) {
    const ahead = isWord(reader, 'not', 1) ? 2 : 1;
    if (!isWord(reader, STATES, ahead)) return false;
    reader.at += ahead + 1;
    takeWord(reader, JSON_KINDS);
    return true;
  }
  return takeWord(reader, NULL_TESTS) || takeWords(reader, 'not', 'null') || takeWords(reader, 'at', 'local');
}

const JSON_KINDS = names('object array scalar value');
const NULL_TESTS = names('isnull notnull');

function takeSubscript(reader: TokenReader): void {
  while (!isSign(reader, ']')) {
    if (takeSign(reader, ':')) continue;
    takeExpression(reader);
    if (!isSign(reader, ']') && !isSign(reader, ':')) refuse(reader);
  }
}
