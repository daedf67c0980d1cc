import { comparableName } from '../redaction/secret-names.ts';
import { describeSeen } from './argument-fault.ts';
import { everyString, type FoundString, fieldsAround, pointerTo } from './every-string.ts';
import type { NamedValidator } from './named-validator.ts';
import { SqlRefused, type SqlToken, sqlTokens } from './sql-tokens.ts';
import { isWritingWord, whatForbids } from './sql-words.ts';

/**
 * Lets through one statement that only reads: SELECT, WITH … SELECT, SHOW, DESCRIBE or EXPLAIN of these, one semicolon at
 * the very end allowed.
 *
 * Which strings are SQL: with parameters (`{ readOnlySql: [statement] }`) those in fields of these names; without, those
 * in fields named sql, query, statement and the like, and if there is no such field, every string. Names compare without
 * case, `_` and `-`; what lies deeper inside of such a field is SQL too.
 *
 * Refused are words that write wherever they stand unquoted (in common table expressions, behind EXPLAIN, behind a
 * SELECT without a semicolon), SELECT … INTO, locking reads, functions that reach files, hosts, locks or
 * the clock, and text that databases split differently (./sql-tokens.ts). Quoted, the same words are data. What a
 * harmless name hides, a view or a function of one's own, cannot be seen here: give the tool a read-only role too.
 */
export const readOnlySql: NamedValidator = {
  describe:
    'one SQL statement that only reads; may be given the fields that hold SQL: { readOnlySql: [statement] }',
  parameters: { type: 'array', minItems: 1, maxItems: 100, items: { type: 'string', minLength: 1 } },
  parametersRequired: false,
  create(parameters) {
    const named = Array.isArray(parameters)
      ? new Set(parameters.map((name) => comparableName(String(name))))
      : null;
    const inFields = (names: ReadonlySet<string>) => (found: FoundString) =>
      fieldsAround(found).some((field) => names.has(comparableName(field)));

    return (args, effort) => {
      const values = everyString(args, effort).filter(({ isName }) => !isName);
      const marked = values.filter(inFields(named ?? SQL_FIELDS));
      const statements = named === null && marked.length === 0 ? values : marked;
      for (const found of statements) {
        const refused = whyNotReadOnly(found.text);
        if (refused === null) continue;
        const expected = `one SQL statement that only reads, without ${refused}`;
        return { pointer: pointerTo(found), expected, seen: describeSeen(found.text), rule: 'readOnlySql' };
      }
      return null;
    };
  },
};

const SQL_FIELDS = new Set([
  'sql',
  'query',
  'queries',
  'statement',
  'statements',
  'stmt',
  'sqlquery',
  'sqlqueries',
  'sqlstatement',
  'sqltext',
  'rawsql',
  'rawquery',
  'command',
  'script',
  'querystring',
  'querytext',
]);

/** Says what keeps a text from being one read-only statement (to follow "without"), or null. */
export function whyNotReadOnly(sql: string): string | null {
  let tokens: readonly SqlToken[];
  try {
    tokens = sqlTokens(sql);
  } catch (error) {
    if (error instanceof SqlRefused) return error.message;
    throw error;
  }
  const first = tokens.find(({ text, kind }) => !(kind === 'sign' && text === '('));
  if (first === undefined) return 'being empty';
  if (first.kind !== 'word' || !BEGINNINGS.has(first.text))
    return 'beginning otherwise than with a word that reads';
  if (first.text === 'with' && !tokens.some(({ kind, text }) => kind === 'word' && text === 'select')) {
    return 'a WITH that selects nothing';
  }
  for (const [at, token] of tokens.entries()) {
    const fault = faultAt(tokens, at, token, first.text);
    if (fault !== null) return fault;
  }
  return null;
}

const BEGINNINGS = new Set(['select', 'with', 'show', 'describe', 'desc', 'explain']);
/** `FOR UPDATE`, `FOR NO KEY UPDATE`, `FOR SHARE`, `LOCK IN SHARE MODE`: reads that take locks. */
const LOCKS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['for', new Set(['update', 'no', 'share', 'key'])],
  ['lock', new Set(['in'])],
]);

function faultAt(tokens: readonly SqlToken[], at: number, token: SqlToken, first: string): string | null {
  const before = tokens[at - 1];
  const next = tokens[at + 1];
  if (token.kind === 'sign') return token.text === ';' && next !== undefined ? 'a second statement' : null;
  if (token.kind !== 'word' && token.kind !== 'name') return null;
  const name = token.text.toLowerCase();
  const called = next?.kind === 'sign' && next.text === '(';
  const forbidden = whatForbids(name, called);
  if (forbidden !== null) return forbidden;
  // Behind a dot it is the name of a column, whatever it says.
  if (token.kind === 'name' || (before?.kind === 'sign' && before.text === '.')) return null;
  if (next?.kind === 'word' && LOCKS.get(name)?.has(next.text))
    return `${name.toUpperCase()} ${next.text.toUpperCase()}`;
  if (first === 'show' && name === 'create' && at === 1) return null;
  return isWritingWord(name, called) ? name.toUpperCase() : null;
}
