import { describe, expect, test } from 'vitest';
import { stepBudgetOfAction } from '../step-budget.ts';
import { compileSchemaRules } from './schema-rules.ts';

function validatorOf(schema: Record<string, unknown>) {
  const compiled = compileSchemaRules(schema);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults));
  return (args: unknown) => compiled.validate(args, stepBudgetOfAction());
}

const amount = {
  type: 'object',
  required: ['amount'],
  properties: { amount: { type: 'number', maximum: 100 } },
};

describe('a fault contains the place, the expected value, and the kind of value found', () => {
  test.each<[schema: Record<string, unknown>, args: unknown, fault: object | null]>([
    [amount, { amount: 100 }, null],
    [amount, { amount: 101 }, { pointer: '/amount', expected: 'at most 100', seen: 'a number' }],
    [amount, { amount: '50' }, { pointer: '/amount', expected: 'a number', seen: 'a string' }],
    [amount, {}, { pointer: '/amount', expected: 'a value', seen: 'nothing' }],
    [amount, { amount: null }, { pointer: '/amount', expected: 'a number', seen: 'null' }],
    [
      { type: 'object', properties: { 'a/b~': { type: 'array', items: { type: 'string' } } } },
      { 'a/b~': ['x', {}] },
      { pointer: '/a~1b~0/1', expected: 'a string', seen: 'an object of 0 fields' },
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
      { pointer: '/a', expected: 'a value that fits one of the schemas in anyOf', seen: 'a number' },
    ],
    [
      { type: 'object', properties: { password: { type: 'string', minLength: 12 } } },
      { password: 'hunter2' },
      { pointer: '/password', expected: 'at least 12 characters', seen: 'a string' },
    ],
    [
      { type: 'object', properties: { s: { type: 'string', maxLength: 3 } } },
      { s: '\n😀'.repeat(500) },
      {
        pointer: '/s',
        expected: 'at most 3 characters',
        seen: 'a string',
      },
    ],
  ])('schema %j on arguments %j', (schema, args, fault) => {
    const found = validatorOf(schema)(args);
    expect(found).toEqual(fault === null ? null : { rule: 'schema', ...fault });
  });
});

describe('two dialects of JSON Schema', () => {
  test('uses 2020-12 by default: prefixItems', () => {
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

  test('uses draft-07 if the schema names it: items as a list', () => {
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

  test('enforces formats, follows references within the schema, and ignores its $id', () => {
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

  test('accepts a schema that refers to itself', () => {
    const validate = validatorOf({
      type: 'object',
      properties: { child: { $ref: '#' }, size: { type: 'number' } },
      anyOf: [{ required: ['child'] }, { required: ['size'] }],
    });
    expect(validate({ child: { child: { size: 1 } } })).toBeNull();
    expect(validate({ child: { child: { size: 'big' } } })?.pointer).toBe('/child/child/size');
  });

  test('does not count inherited members of objects as required fields', () => {
    const validate = validatorOf({ type: 'object', required: ['toString', 'constructor'] });
    expect(validate({})?.pointer).toBe('/toString');
  });
});

describe('refuses an unusable schema, and names the place', () => {
  const pattern = (source: string) => ({
    type: 'object',
    properties: { a: { type: 'string', pattern: source } },
  });
  const nested = (levels: number): Record<string, unknown> =>
    levels === 0 ? {} : { not: nested(levels - 1) };
  const text = { type: 'string' };
  test.each<[schema: Record<string, unknown>, message: RegExp, path: (string | number)[]]>([
    [pattern('(?=a)b'), /look-ahead/, ['properties', 'a', 'pattern']],
    [pattern('(a)\\1'), /back-reference/, ['properties', 'a', 'pattern']],
    [{ type: 'object', patternProperties: { '(?!x)': {} } }, /look-ahead/, ['patternProperties', '(?!x)']],
    [{ allOf: [{ $ref: 'https://evil.com/schema.json' }] }, /never fetched/, ['allOf', 0, '$ref']],
    [{ $ref: '#/$defs/missing' }, /leads to no schema/, ['$ref']],
    [{ $ref: '#/properties', type: 'object', properties: {} }, /leads to no schema/, ['$ref']],
    [{ $ref: '#/const', const: {} }, /leads to no schema/, ['$ref']],
    [{ $ref: '#%zz' }, /leads to no schema/, ['$ref']],
    [{ $dynamicRef: '#nowhere' }, /leads to no schema/, ['$dynamicRef']],
    [{ $ref: '#' }, /refers to itself/, ['$ref']],
    [
      { type: 'object', properties: { a: { anyOf: [{ $ref: '#/properties/a' }, { type: 'null' }] } } },
      /refers to itself/,
      ['properties', 'a', 'anyOf', 0, '$ref'],
    ],
    [{ $schema: 'http://json-schema.org/draft-04/schema#' }, /known: https/, ['$schema']],
    [{ $id: 1 }, /must be a text/, ['$id']],
    [{ type: 'object', propertees: {} }, /unknown keyword/, ['propertees']],
    [{ type: 'object', additionalproperties: false }, /write additionalProperties/, ['additionalproperties']],
    [{ type: 'object', toString: {} }, /unknown keyword/, ['toString']],
    [{ 'a\nb': 1 }, /^"a\\nb" is an unknown keyword/, ['a\nb']],
    [
      { properties: { a: { type: 'string', format: 'colour' } }, type: 'object' },
      /known formats: date, time, date-time, email, hostname, ipv4, ipv6, uri, uuid\. .*pattern/,
      ['properties', 'a', 'format'],
    ],
    [
      { type: 'object', properties: { a: { maximum: 100 } } },
      /only numbers.*type: number/,
      ['properties', 'a', 'maximum'],
    ],
    [{ type: 'string', maximum: 100 }, /only numbers, and the type is string/, ['maximum']],
    [{ type: 'objekt' }, /one of integer, null/, ['type']],
    [{ type: [] }, /one of integer, null/, ['type']],
    [{ type: ['string', 'string'] }, /without repeats/, ['type']],
    [
      { type: 'object', properties: { a: { type: 'number', maximum: { $data: '1/b' } } } },
      /must be a number/,
      ['properties', 'a', 'maximum'],
    ],
    [{ type: 'number', multipleOf: 0 }, /above 0/, ['multipleOf']],
    [{ ...text, minLength: -1 }, /0 or more/, ['minLength']],
    [{ ...text, minLength: 1.5 }, /whole number/, ['minLength']],
    [{ ...text, pattern: 1 }, /a pattern, as text/, ['pattern']],
    [{ type: 'object', required: ['a', 'a'] }, /without repeats/, ['required']],
    [{ type: 'object', properties: { a: 1 } }, /a schema for each name/, ['properties']],
    [{ type: 'array', uniqueItems: 1 }, /true or false/, ['uniqueItems']],
    [{ enum: [] }, /at least one value/, ['enum']],
    [{ anyOf: [] }, /at least one schema/, ['anyOf']],
    [{ not: [] }, /a schema/, ['not']],
    [{ $anchor: '#a' }, /letters/, ['$anchor']],
    [{ allOf: [{ $anchor: 'a' }, { $dynamicAnchor: 'a' }] }, /used twice/, ['allOf', 1, '$dynamicAnchor']],
    [nested(33), /deeper than 32/, []],
    [{ description: 'x'.repeat(65_536) }, /larger than 64 KiB/, []],
    [
      { properties: { a: { $id: 'https://company.com/a', type: 'object' } }, type: 'object' },
      /within the schema: use \$anchor/,
      ['properties', 'a', '$id'],
    ],
    [{ ...text, contentEncoding: 'base64' }, /enforces nothing.*pattern/, ['contentEncoding']],
    [{ ...text, nullable: true }, /\[string, "null"\]/, ['nullable']],
    [{ $vocabulary: {} }, /remove/, ['$vocabulary']],
    [
      { anyOf: Array.from({ length: 1_001 }, (_, i) => ({ type: 'string', pattern: `x${i}` })) },
      /1000 patterns/,
      ['anyOf', 1_000, 'pattern'],
    ],
  ])('%j', (schema, message, path) => {
    expect(compileSchemaRules(schema)).toEqual({
      ok: false,
      faults: [{ message: expect.stringMatching(message), path }],
    });
  });

  test('reports all faults, at most twenty', () => {
    const faultsOf = (properties: object) => {
      const compiled = compileSchemaRules({ type: 'object', properties });
      return compiled.ok ? [] : compiled.faults.map(({ path }) => path.slice(1).join('.'));
    };
    expect(faultsOf({ a: { minimum: 1 }, b: { $ref: '#b' }, c: { type: 'strin' } })).toEqual([
      'a.minimum',
      'c.type',
      'b.$ref',
    ]);
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`p${at}`, { minimum: 1 }]));
    expect(faultsOf(many)).toHaveLength(20);
  });
});

describe('keywords with less effect than they seem to have are refused', () => {
  const pair = [{ type: 'number' }, { type: 'number' }];
  const draft7 = { $schema: 'http://json-schema.org/draft-07/schema#' };
  test.each<[schema: Record<string, unknown>, message: RegExp, path: (string | number)[]]>([
    [{ if: { type: 'string' } }, /without then or else/, ['if']],
    [{ else: { type: 'string' } }, /without if/, ['else']],
    [{ type: 'array', maxContains: 1 }, /without contains/, ['maxContains']],
    [{ type: 'array', contains: {}, minContains: 0 }, /decides nothing/, ['contains']],
    [{ type: 'array', contains: {}, minContains: 3, maxContains: 2 }, /never met/, ['contains']],
    [{ type: 'array', contains: {}, maxContains: 0 }, /never met/, ['contains']],
    [{ type: 'array', prefixItems: pair, minItems: 1 }, /longer arrays pass: add items/, ['prefixItems']],
    [
      { type: 'array', prefixItems: pair, items: false },
      /shorter arrays pass: add minItems/,
      ['prefixItems'],
    ],
    [{ type: 'array', items: pair, minItems: 2 }, /called prefixItems/, ['items']],
    [{ type: 'array', items: {}, additionalItems: false }, /draft-07/, ['additionalItems']],
    [{ type: 'object', allOf: [{ type: 'string' }] }, /never met.*object/, ['allOf', 0, 'type']],
    [{ ...draft7, type: 'array', items: {}, additionalItems: false }, /decides nothing/, ['additionalItems']],
    [{ ...draft7, type: 'array', items: pair, maxItems: 2 }, /shorter/, ['items']],
    [{ ...draft7, type: 'object', unevaluatedProperties: false }, /draft-07/, ['unevaluatedProperties']],
    [
      { ...draft7, definitions: { a: {} }, $ref: '#/definitions/a', type: 'object' },
      /ignores what is beside \$ref \(type\)/,
      ['$ref'],
    ],
  ])('%j', (schema, message, path) => {
    expect(compileSchemaRules(schema)).toEqual({
      ok: false,
      faults: [{ message: expect.stringMatching(message), path }],
    });
  });

  test.each<Record<string, unknown>>([
    { type: 'array', prefixItems: pair, minItems: 0, maxItems: 2 },
    { type: 'array', prefixItems: pair, minItems: 1, items: { type: 'string' } },
    { ...draft7, definitions: { a: {} }, $ref: '#/definitions/a', title: 'a' },
    { ...draft7, type: 'array', items: pair, minItems: 2, additionalItems: false },
    { type: ['object', 'null'], allOf: [{ type: 'object', required: ['a'] }] },
    { type: 'number', anyOf: [{ type: 'integer' }, { minimum: 1.5 }] },
    { type: 'object', propertyNames: { pattern: '^[a-z]+$' } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    { if: { type: 'string' }, then: true },
  ])('accepts %j', (schema) => {
    expect(compileSchemaRules(schema)).toMatchObject({ ok: true });
  });
});

describe('hostile arguments and schemas end quickly', () => {
  test('runs a pattern made for backtracking on a value, on a field name, and on names in the schema', () => {
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

  test('checks uniqueItems over many objects', () => {
    const validate = validatorOf({ type: 'object', properties: { a: { type: 'array', uniqueItems: true } } });
    const items = Array.from({ length: 20_000 }, (_, i) => ({ x: { y: 1, z: i } }));
    expect(validate({ a: items })).toBeNull();
    expect(validate({ a: [...items, { x: { z: 5, y: 1 } }] })?.pointer).toBe('/a/20000');
    expect(validate({ a: [1, '1', [1], null, 'null', false] })).toBeNull();
    expect(validate({ a: [0, -0] })).not.toBeNull();
  });

  test('refuses arguments if the references of a schema double the work at every level', () => {
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

  test.each([
    ['that multiply the work', 12, /too many steps/],
    ['that nest too deep', 40, /deeper than 32/],
  ])('references %s are refused when the schema is loaded', (_, levels, message) => {
    const $defs: Record<string, object> = { [`d${levels}`]: { type: 'object' } };
    for (let i = 0; i < levels; i += 1) {
      const next = { $ref: `#/$defs/d${i + 1}` };
      $defs[`d${i}`] = { anyOf: [next, { ...next }, { ...next }] };
    }
    expect(compileSchemaRules({ $defs, $ref: '#/$defs/d0' })).toEqual({
      ok: false,
      faults: [{ message: expect.stringMatching(message), path: expect.anything() }],
    });
  });

  test('the deepest schema with the deepest arguments does not overflow the stack', () => {
    const $defs: Record<string, object> = {
      d14: { type: ['object', 'number'], properties: { a: { $ref: '#' } } },
    };
    for (let i = 0; i < 14; i += 1) $defs[`d${i}`] = { anyOf: [false, { $ref: `#/$defs/d${i + 1}` }] };
    const validate = validatorOf({ $defs, $ref: '#/$defs/d0' });
    const deep = (levels: number, leaf: unknown): unknown =>
      levels === 0 ? leaf : { a: deep(levels - 1, leaf) };
    expect(validate(deep(32, 1))).toBeNull();
    expect(validate(deep(32, 'no'))?.expected).toContain('anyOf');
  });
});
