import { describe, expect, test } from 'vitest';
import { fieldsAt, pathAt } from './complete.ts';

describe('the path of a place', () => {
  test.each([
    [[], 0, []],
    [['kind: policy'], 0, []],
    [['toolPolicies:', '  pay:'], 4, ['toolPolicies', 'pay']],
    [['toolPolicies:', '  pay:', '    cost: 1', 'budgets:'], 2, ['budgets']],
    [['budgets:', '  - id: day'], 4, ['budgets']],
  ])('after the lines %j and at column %d, the path is %j', (above, indent, path) => {
    expect(pathAt(above, indent)).toEqual(path);
  });
});

describe('the fields at a path', () => {
  const budget = { properties: { id: {}, max: {} } };
  const schema = {
    properties: {
      budgets: { items: { $ref: '#/$defs/budget' } },
      tools: {
        additionalProperties: { anyOf: [{ properties: { cost: {} } }, { properties: { rate: {} } }] },
      },
    },
    $defs: { budget },
  };
  test.each([
    [[], ['budgets', 'tools']],
    [['budgets'], ['id', 'max']],
    [
      ['tools', 'pay'],
      ['cost', 'rate'],
    ],
    [['nothing'], []],
  ])('%j are %j', (path, names) => {
    expect(Object.keys(fieldsAt(schema, path))).toEqual(names);
  });
});
