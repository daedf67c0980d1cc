import { describe, expect, test } from 'vitest';
import { stepBudgetOfAction } from '../step-budget.ts';
import { compileArgumentRules } from './argument-rules.ts';

const amount = {
  type: 'object',
  required: ['amount'],
  properties: { amount: { type: 'number', maximum: 100 } },
};

function rulesOf(validation: Parameters<typeof compileArgumentRules>[0]) {
  const compiled = compileArgumentRules(validation);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults));
  return { validate: (args: unknown) => compiled.validate(args, stepBudgetOfAction()) };
}

describe('argument rules', () => {
  test('check the schema first, then the validators in the order of the document', () => {
    const rules = rulesOf({
      schema: amount,
      validators: ['noSystemPaths', { emailDomains: ['company.com'] }, { readOnlySql: { fields: ['sql'] } }],
    });
    const bad = { amount: 101, path: '/etc', to: 'x@evil.com', sql: 'drop table x' };
    expect(rules.validate(bad)?.rule).toBe('schema');
    expect(rules.validate({ ...bad, amount: 1 })?.rule).toBe('noSystemPaths');
    expect(rules.validate({ ...bad, amount: 1, path: 'x' })?.rule).toBe('emailDomains');
    expect(rules.validate({ ...bad, amount: 1, path: 'x', to: 'a@company.com' })?.rule).toBe('readOnlySql');
    expect(rules.validate({ amount: 1, path: 'x', to: 'a@company.com', sql: 'select 1' })).toBeNull();
  });

  test('treat absent arguments as an empty object', () => {
    expect(rulesOf({ schema: amount }).validate(undefined)?.pointer).toBe('/amount');
    expect(rulesOf({ schema: { type: 'object' } }).validate(undefined)).toBeNull();
  });

  test('accept all arguments if there are no rules', () => {
    expect(rulesOf({}).validate({ a: '/etc' })).toBeNull();
  });

  test('never quote a value, whatever the name of its field', () => {
    const rules = rulesOf({
      validators: [
        'noSystemPaths',
        { emailDomains: ['company.com'] },
        { readOnlySql: { fields: ['token'] } },
      ],
    });
    for (const args of [
      { api_key: '/etc/hunter2' },
      { password: 'hunter2@evil.com' },
      { auth: { token: ['hunter2'] } },
      { token: 'pg_hunter2()' },
      { customerId: '/etc/hunter2' },
    ]) {
      const fault = rules.validate(args);
      expect(fault?.seen).toBe('a string');
      expect(JSON.stringify(fault)).not.toContain('hunter2');
    }
  });
});

test('compiles the same rules only once', () => {
  const once = compileArgumentRules({ schema: amount, validators: ['readOnlySql'] });
  const { type, ...rest } = amount;
  expect(compileArgumentRules({ validators: ['readOnlySql'], schema: { ...rest, type } })).toBe(once);
  expect(compileArgumentRules({ schema: amount })).not.toBe(once);
});

describe('an invalid document is refused with the path of the fault', () => {
  test.each<
    [validation: Parameters<typeof compileArgumentRules>[0], message: RegExp, path: (string | number)[]]
  >([
    [
      { validators: ['noSuch'] },
      /unknown validator "noSuch"; known: paths, noSystemPaths, emailDomains, readOnlySql/,
      ['validators', 0],
    ],
    [{ validators: ['readOnlySql', 'toString'] }, /unknown validator/, ['validators', 1]],
    [{ validators: ['emailDomains'] }, /needs parameters/, ['validators', 0]],
    [
      { validators: [{ emailDomains: [] }] },
      /emailDomains.*expected at least 1 element/,
      ['validators', 0, 'emailDomains'],
    ],
    [
      { validators: [{ emailDomains: ['company.com', '@company.com'] }] },
      /at \/1: expected text that matches/,
      ['validators', 0, 'emailDomains'],
    ],
    [
      { validators: [{ emailDomains: 'company.com' }] },
      /expected an array/,
      ['validators', 0, 'emailDomains'],
    ],
    [{ validators: [{ emailDomains: ['*'] }] }, /text that matches/, ['validators', 0, 'emailDomains']],
    [{ validators: [{ noSystemPaths: [] }] }, /expected an object/, ['validators', 0, 'noSystemPaths']],
    [{ validators: [{}] }, /one name/, ['validators', 0]],
    [{ validators: [{ noSystemPaths: [], readOnlySql: [] }] }, /one name/, ['validators', 0]],
    [
      { schema: { type: 'object', properties: { a: { type: 'string', pattern: '(?=x)' } } } },
      /look-ahead/,
      ['schema', 'properties', 'a', 'pattern'],
    ],
    [{ schema: { type: 'object', unknown: 1 } }, /unknown keyword/, ['schema', 'unknown']],
  ])('%j', (validation, message, path) => {
    expect(compileArgumentRules(validation)).toEqual({
      ok: false,
      faults: [{ message: expect.stringMatching(message), path }],
    });
  });
});
