import { describe, expect, test } from 'vitest';
import { effortOfAction } from '../effort.ts';
import { compileSchemaRules } from './schema-rules.ts';

function validatorOf(schema: Record<string, unknown>) {
  const compiled = compileSchemaRules(schema);
  if (!compiled.ok) throw new Error(compiled.message);
  return (args: unknown) => compiled.validate(args, effortOfAction());
}

const amount = {
  type: 'object',
  required: ['amount'],
  properties: { amount: { type: 'number', maximum: 100 } },
};

describe('a fault names the place, what was expected and what was seen', () => {
  test.each<[schema: Record<string, unknown>, args: unknown, fault: object | null]>([
    [amount, { amount: 100 }, null],
    [amount, { amount: 101 }, { pointer: '/amount', expected: 'to be <= 100', seen: 'a number' }],
    [amount, { amount: '50' }, { pointer: '/amount', expected: 'to be number', seen: 'a string' }],
    [amount, {}, { pointer: '/amount', expected: 'a value', seen: 'nothing' }],
    [amount, { amount: null }, { pointer: '/amount', expected: 'to be number', seen: 'null' }],
    [
      { type: 'object', properties: { 'a/b~': { type: 'array', items: { type: 'string' } } } },
      { 'a/b~': ['x', {}] },
      { pointer: '/a~1b~0/1', expected: 'to be string', seen: 'an object of 0 fields' },
    ],
    [
      { type: 'object', additionalProperties: false },
      { extra: [1] },
      { pointer: '/extra', expected: 'no field of this name', seen: 'an array of 1' },
    ],
    [
      { type: 'object', properties: { c: { enum: ['EUR', 'USD'] }, d: { const: 1 } } },
      { c: 'XXX' },
      { pointer: '/c', expected: 'one of "EUR", "USD"', seen: 'a string' },
    ],
    [
      { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'number', minimum: 1 }] } } },
      { a: 0 },
      { pointer: '/a', expected: 'to match a schema in anyOf', seen: 'a number' },
    ],
    [
      { type: 'object', properties: { password: { type: 'string', minLength: 12 } } },
      { password: 'hunter2' },
      { pointer: '/password', expected: 'to NOT have fewer than 12 characters', seen: 'a string' },
    ],
    [
      { type: 'object', properties: { s: { type: 'string', maxLength: 3 } } },
      { s: '\n😀'.repeat(500) },
      {
        pointer: '/s',
        expected: 'to NOT have more than 3 characters',
        seen: 'a string',
      },
    ],
  ])('%j on %j', (schema, args, fault) => {
    const found = validatorOf(schema)(args);
    expect(found).toEqual(fault === null ? null : { rule: 'schema', ...fault });
  });
});

describe('what the dialects say', () => {
  test('2020-12 by default: prefixItems', () => {
    const validate = validatorOf({
      type: 'object',
      properties: {
        at: {
          type: 'array',
          prefixItems: [{ type: 'number' }, { type: 'number' }],
          items: false,
          minItems: 2,
        },
      },
    });
    expect(validate({ at: [1, 2] })).toBeNull();
    expect(validate({ at: [1, 2, 3] })).not.toBeNull();
  });

  test('draft-07 when named: items as a list', () => {
    const items = { type: 'array', items: [{ type: 'number' }], additionalItems: false, minItems: 1 };
    const validate = validatorOf({
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { at: items },
    });
    expect(validate({ at: [1] })).toBeNull();
    expect(validate({ at: [1, 2] })).not.toBeNull();
    expect(compileSchemaRules({ type: 'object', properties: { at: items } }).ok).toBe(false);
  });

  test('formats are enforced, references within the schema followed, its $id of no account', () => {
    const validate = validatorOf({
      $id: 'https://json-schema.org/draft/2020-12/schema',
      $defs: { when: { type: 'string', format: 'date' } },
      type: 'object',
      properties: { from: { $ref: '#/$defs/when' } },
    });
    expect(validate({ from: '2026-02-28' })).toBeNull();
    expect(validate({ from: '2026-02-30' })?.pointer).toBe('/from');
    expect(compileSchemaRules(amount).ok).toBe(true);
  });

  test('a schema may hold itself', () => {
    const validate = validatorOf({
      type: 'object',
      properties: { child: { $ref: '#' }, size: { type: 'number' } },
      anyOf: [{ required: ['child'] }, { required: ['size'] }],
    });
    expect(validate({ child: { child: { size: 1 } } })).toBeNull();
    expect(validate({ child: { child: { size: 'big' } } })?.pointer).toBe('/child/child/size');
  });

  test('what every object inherits meets no requirement', () => {
    const validate = validatorOf({ type: 'object', required: ['toString', 'constructor'] });
    expect(validate({})?.pointer).toBe('/toString');
  });
});

describe('what is no schema is an error that names the place', () => {
  const pattern = (source: string) => ({
    type: 'object',
    properties: { a: { type: 'string', pattern: source } },
  });
  const nested = (levels: number): Record<string, unknown> =>
    levels === 0 ? {} : { not: nested(levels - 1) };
  test.each<[schema: Record<string, unknown>, message: RegExp, path: (string | number)[]]>([
    [pattern('(?=a)b'), /look-ahead/, ['properties', 'a', 'pattern']],
    [pattern('(a)\\1'), /back-reference/, ['properties', 'a', 'pattern']],
    [{ type: 'object', patternProperties: { '(?!x)': {} } }, /look-ahead/, ['patternProperties', '(?!x)']],
    [{ allOf: [{ $ref: 'https://evil.com/schema.json' }] }, /never fetched/, ['allOf', 0, '$ref']],
    [{ $ref: '#/$defs/missing' }, /leads nowhere/, ['$ref']],
    [{ $schema: 'http://json-schema.org/draft-04/schema#' }, /known: https/, ['$schema']],
    [{ type: 'object', propertees: {} }, /unknown keyword/, []],
    [{ properties: { a: { type: 'string', format: 'colour' } }, type: 'object' }, /unknown format/, []],
    [{ type: 'object', properties: { a: { maximum: 100 } } }, /missing type/, []],
    [{ type: 'objekt' }, /type/, []],
    [{ type: 'object', properties: { a: { type: 'number', maximum: { $data: '1/b' } } } }, /maximum/, []],
    [nested(33), /deeper than 32/, []],
    [{ description: 'x'.repeat(65_536) }, /larger than 64 KiB/, []],
    [
      { properties: { a: { $id: 'https://company.com/a', type: 'object' } }, type: 'object' },
      /no \$id/,
      ['properties', 'a', '$id'],
    ],
    [{ $ref: '#' }, /steps|call stack/, []],
    [
      { anyOf: Array.from({ length: 1_001 }, (_, i) => ({ type: 'string', pattern: `x${i}` })) },
      /1000 patterns/,
      [],
    ],
  ])('%j', (schema, message, path) => {
    expect(compileSchemaRules(schema)).toEqual({ ok: false, message: expect.stringMatching(message), path });
  });
});

describe('hostile arguments and schemas end', () => {
  test('a pattern made for backtracking, as a value, a name and a check of names at load', () => {
    const slow = '^(a+)+$';
    const long = `${'a'.repeat(60_000)}b`;
    const byValue = validatorOf({ type: 'object', properties: { a: { type: 'string', pattern: slow } } });
    expect(byValue({ a: long })?.pointer).toBe('/a');
    const byName = validatorOf({
      type: 'object',
      properties: { [`${'a'.repeat(40)}b`]: {} },
      patternProperties: { [slow]: false },
    });
    expect(byName({ [long]: 1 })).toBeNull();
  });

  test('uniqueItems over many objects', () => {
    const validate = validatorOf({ type: 'object', properties: { a: { type: 'array', uniqueItems: true } } });
    const items = Array.from({ length: 20_000 }, (_, i) => ({ x: { y: 1, z: i } }));
    expect(validate({ a: items })).toBeNull();
    expect(validate({ a: [...items, { x: { z: 5, y: 1 } }] })?.expected).toContain('uniqueItems');
    expect(validate({ a: [1, '1', [1], null, 'null', false] })).toBeNull();
    expect(validate({ a: [0, -0] })).not.toBeNull();
  });

  test('references that double with every level of the arguments are given up on, and refused', () => {
    const child = { anyOf: [{ $ref: '#/$defs/node' }, { $ref: '#/$defs/node' }] };
    const validate = validatorOf({
      $defs: { node: { type: 'object', properties: { child, leaf: { type: 'number' } } } },
      $ref: '#/$defs/node',
    });
    const deep = (levels: number, leaf: unknown): object =>
      levels === 0 ? { leaf } : { child: deep(levels - 1, leaf) };
    expect(validate(deep(8, 1))).toBeNull();
    expect(validate(deep(8, 'no'))?.pointer).toBe('/child');
    expect(validate(deep(30, 'no'))).toMatchObject({
      pointer: '',
      expected: expect.stringContaining('too many steps'),
    });
    expect(validate(deep(8, 1))).toBeNull();
  });

  test('references that double within the schema are refused at load', () => {
    const $defs: Record<string, object> = { d40: { type: 'object' } };
    for (let i = 0; i < 40; i += 1) {
      $defs[`d${i}`] = { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] };
    }
    expect(compileSchemaRules({ $defs, $ref: '#/$defs/d0' })).toMatchObject({ ok: false, message: /steps/ });
  });
});
