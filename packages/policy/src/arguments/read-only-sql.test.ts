import { describe, expect, test } from 'vitest';
import { stepBudgetOfAction } from '../step-budget.ts';
import { compileArgumentRules } from './argument-rules.ts';
import { readOnlySql } from './read-only-sql.ts';

function checkWith(
  parameters: unknown,
): (args: unknown) => ReturnType<ReturnType<typeof readOnlySql.create>> {
  const judge = readOnlySql.create(parameters);
  return (args) => judge(args, stepBudgetOfAction());
}

describe('without the parameter `fields`', () => {
  const check = checkWith(undefined);

  test('requires each string to be one statement that only reads', () => {
    expect(check({ q: 'select 1', n: 1, deep: [['select 2']] })).toBeNull();
    expect(check({ limit: 5 })).toBeNull();
    expect(check({ q: 'DROP TABLE t', sql: 'SELECT 1' })).toMatchObject({ pointer: '/q' });
    expect(check({ sql: 'SELECT 1', options: { next: 'DROP TABLE t' } })).toMatchObject({
      pointer: '/options/next',
    });
    expect(check({ sql: 'SELECT 1', database: 'main' })).toMatchObject({ pointer: '/database' });
    expect(check('drop table x')).toMatchObject({ pointer: '' });
  });

  test('checks field names too, except the names of the arguments', () => {
    expect(check({ run: { 'DROP TABLE t': 1 } })).toMatchObject({ rule: 'readOnlySql' });
    expect(check({ run: { 'SELECT 1': 1 } })).toBeNull();
  });

  test('refuses texts that SQL dialects read in different ways', () => {
    expect(check({ sql: 'select `a` from t' })).not.toBeNull();
    expect(checkWith({ dialect: 'mysql' })({ sql: 'select `a` from t' })).toBeNull();
  });
});

describe('with the parameter `fields`', () => {
  const check = checkWith({ fields: ['source_text'], dialect: 'postgres' });

  test('checks these fields at any depth, and no other fields', () => {
    expect(check({ sourceText: 'drop table x' })).toMatchObject({ pointer: '/sourceText' });
    expect(check({ SOURCE_TEXT: 'drop table x' })).toMatchObject({ pointer: '/SOURCE_TEXT' });
    expect(check({ a: [{ 'source-text': ['select 1', 'drop table x'] }] })).toMatchObject({
      pointer: '/a/0/source-text/1',
    });
    expect(check({ sourceText: 'select now()', database: 'main', query: 'drop table x' })).toBeNull();
  });

  test('checks the names of fields within these fields', () => {
    expect(check({ sourceText: { 'drop table x': 1 } })).toMatchObject({ rule: 'readOnlySql' });
  });

  test('requires each string to be a whole statement, so a statement cannot be split over several strings', () => {
    expect(check({ sourceText: ['select 1', '; drop table x'] })).toMatchObject({ pointer: '/sourceText/1' });
    expect(check({ sourceText: ["select 'a", "b'"] })).toMatchObject({ pointer: '/sourceText/0' });
  });
});

test('a fault contains the reason and the place', () => {
  expect(checkWith({ fields: ['sql'] })({ sql: 'select 1; drop table x' })).toEqual({
    pointer: '/sql',
    expected: 'one SQL statement that only reads, without a second statement (at character 11)',
    seen: 'a string',
    rule: 'readOnlySql',
  });
});

test.each([
  [['statement']],
  [{}],
  [{ dialect: 'oracle' }],
  [{ fields: [] }],
  [{ fields: ['sql'], dialects: ['postgres'] }],
  [{ fields: 'sql' }],
])('refuses the parameters %j when the document is loaded', (parameters) => {
  expect(compileArgumentRules({ validators: [{ readOnlySql: parameters }] }).ok).toBe(false);
});
