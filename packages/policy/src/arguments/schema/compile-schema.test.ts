import { describe, expect, test } from 'vitest';
import { compileSchemaRules } from '../schema-rules.ts';

type Schema = Readonly<Record<string, unknown>>;

function holds(schema: Schema, value: unknown): boolean {
  const compiled = compileSchemaRules(schema);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults));
  return compiled.validate(value, { left: 1_000_000 }) === null;
}

/** Runs each value through the schema. The test titles show schema, value and verdict. */
function verdicts(
  rows: readonly [schema: Schema, right: readonly unknown[], wrong: readonly unknown[]][],
): void {
  const cases = rows.flatMap(([schema, right, wrong]): [boolean, Schema, unknown][] => [
    ...right.map((value): [boolean, Schema, unknown] => [true, schema, value]),
    ...wrong.map((value): [boolean, Schema, unknown] => [false, schema, value]),
  ]);
  test.each(cases)('%j: %j on %j', (verdict, schema, value) => {
    expect(holds(schema, value)).toBe(verdict);
  });
}

const object = { type: 'object' };
const list = { type: 'array' };
const text = { type: 'string' };
const whole = { type: 'integer' };
const has = (...names: string[]) => ({ required: names });
const field = (name: string, part: unknown = true) => ({ properties: { [name]: part } });
const closed = { unevaluatedProperties: false };
const closedList = { unevaluatedItems: false };

describe('unevaluatedProperties refuses a field that no accepting branch of the schema has checked', () => {
  verdicts([
    [
      // The condition of `if` fails for 'stranger', so no field counts as checked by the condition, not even `to`.
      {
        ...object,
        if: { ...field('to', { const: 'self' }), ...has('to') },
        else: { ...field('ticket', text), ...has('ticket') },
        ...closed,
      },
      [{ to: 'self' }, { ticket: 'T1' }],
      [{ to: 'evil', ticket: 'T1' }, { to: 'self', ticket: 'T1' }, { to: 'evil' }, {}],
    ],
    [
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      { ...object, if: { ...field('a', { const: 1 }), ...has('a') }, then: field('b'), ...closed },
      [{ a: 1, b: 2 }, {}],
      [{ a: 2 }, { b: 2 }, { a: 1, c: 1 }],
    ],
    [
      {
        ...object,
        anyOf: [
          { ...field('a', whole), ...has('a') },
          { ...field('b', whole), ...has('b') },
        ],
        ...closed,
      },
      [{ a: 1 }, { b: 1 }, { a: 1, b: 1 }],
      [
        { a: 1, b: 'x' },
        { a: 1, c: 1 },
      ],
    ],
    [
      {
        ...object,
        oneOf: [
          { ...field('a'), ...has('a') },
          { ...field('b'), ...has('b') },
        ],
        ...closed,
      },
      [{ a: 1 }, { b: 1 }],
      [
        { a: 1, b: 1 },
        { a: 1, c: 1 },
      ],
    ],
    [
      { ...object, allOf: [field('a'), { allOf: [field('b')] }], ...field('c'), ...closed },
      [{ a: 1, b: 1, c: 1 }],
      [{ d: 1 }],
    ],
    [{ ...object, not: { not: { ...field('a'), ...has('a') } }, ...closed }, [], [{ a: 1 }]],
    [
      { ...object, dependentSchemas: { a: field('b') }, ...field('a'), ...closed },
      [{ a: 1, b: 1 }, { a: 1 }],
      [{ b: 1 }],
    ],
    [
      { ...object, patternProperties: { '^x-': true }, propertyNames: { maxLength: 3 }, ...closed },
      [{ 'x-a': 1 }],
      [{ a: 1 }],
    ],
    [{ ...object, allOf: [{ additionalProperties: whole }], ...closed }, [{ a: 1 }], [{ a: 'x' }]],
    // The nested schema checks all remaining fields, so nothing remains for the outer schema.
    [{ ...object, allOf: [{ unevaluatedProperties: text }], ...closed }, [{ a: 'x' }], [{ a: 1 }]],
    // The nested schema does not know which fields the outer schema checks.
    [{ ...object, ...field('a'), allOf: [closed] }, [{}], [{ a: 1 }]],
    [{ ...object, ...field('a', { ...object, ...field('b') }), ...closed }, [{ a: { c: 1 } }], [{ b: 1 }]],
    [
      {
        $defs: { base: { ...object, ...field('a') } },
        ...object,
        $ref: '#/$defs/base',
        ...field('b'),
        ...closed,
      },
      [{ a: 1, b: 1 }],
      [{ c: 1 }],
    ],
    [
      {
        $defs: {
          one: { ...object, ...field('a'), ...has('a') },
          two: { ...object, ...field('b'), ...has('b') },
        },
        ...object,
        oneOf: [{ $ref: '#/$defs/one' }, { $dynamicRef: '#/$defs/two' }],
        ...closed,
      },
      [{ a: 1 }, { b: 1 }],
      [
        { a: 1, c: 1 },
        { a: 1, b: 1 },
      ],
    ],
    [
      // A tree that allows no additional fields at any level, with one more field at the top.
      {
        ...object,
        $ref: '#/$defs/node',
        ...field('name', text),
        ...closed,
        $defs: {
          node: {
            ...object,
            properties: { children: { ...list, items: { $ref: '#/$defs/node', ...object, ...closed } } },
          },
        },
      },
      [{ name: 'a', children: [{ children: [] }] }],
      [{ name: 'a', children: [{ name: 'b' }] }, { x: 1 }],
    ],
  ]);
});

describe('unevaluatedItems refuses an element that no accepting branch of the schema has checked', () => {
  verdicts([
    [{ ...list, contains: whole, ...closedList }, [[1, 2]], [[1, 'a'], ['a'], []]],
    [
      {
        ...list,
        allOf: [{ contains: { multipleOf: 2, ...whole } }, { contains: { multipleOf: 3, ...whole } }],
        ...closedList,
      },
      [
        [2, 3],
        [6, 4, 9],
      ],
      [
        [2, 3, 5],
        [2, 4],
      ],
    ],
    [
      { ...list, contains: whole, minContains: 0, maxContains: 1, unevaluatedItems: text },
      [['a', 1], ['a'], []],
      [[1, 2], [null]],
    ],
    [
      {
        ...list,
        prefixItems: [whole],
        minItems: 1,
        anyOf: [{ prefixItems: [true, text], minItems: 2, maxItems: 9 }, true],
        ...closedList,
      },
      [[1], [1, 'a']],
      [
        [1, 2],
        [1, 'a', 'b'],
      ],
    ],
    [
      {
        ...list,
        if: { prefixItems: [{ const: 'x' }], minItems: 1, maxItems: 9 },
        else: { prefixItems: [true, true], minItems: 0, maxItems: 9 },
        ...closedList,
      },
      [['x'], ['y', 1], []],
      [
        ['x', 1],
        ['y', 1, 2],
      ],
    ],
    [{ ...list, allOf: [{ items: whole }], ...closedList }, [[1, 2]], [[1, 'a']]],
    [{ ...list, not: { contains: { const: 1 } }, ...closedList }, [[]], [[2], [1]]],
  ]);
});

describe('references stay within the schema', () => {
  const node = { ...object, ...field('next', { $dynamicRef: '#node' }), ...has('v'), $dynamicAnchor: 'node' };
  verdicts([
    [{ $defs: { node }, $ref: '#node' }, [{ v: 1, next: { v: 2 } }], [{ v: 1, next: {} }]],
    [{ $defs: { n: { $anchor: 'n', ...whole } }, $dynamicRef: '#n' }, [1], ['a']],
    [{ $defs: { no: false }, ...object, ...field('a', { $dynamicRef: '#/$defs/no' }) }, [{}], [{ a: 1 }]],
    [{ $defs: { 'a/b%~': whole }, $ref: '#/$defs/a~1b%25~0' }, [1], ['a']],
    [
      { $id: 'https://company.com/a', $defs: { n: whole }, $ref: 'https://company.com/a#/$defs/n' },
      [1],
      ['a'],
    ],
    // A property named `$ref` is not a keyword, and the value of const is not a schema.
    [{ ...object, ...field('$ref', text) }, [{ $ref: 'a' }], [{ $ref: 1 }]],
    [{ const: { $ref: '#/$defs/n' } }, [{ $ref: '#/$defs/n' }], [1]],
    // Keywords beside $ref still apply.
    [{ $defs: { n: whole }, $ref: '#/$defs/n', type: 'number', maximum: 3 }, [3], [4, 2.5]],
  ]);
});

describe('draft-07 keywords check arrays and objects as that draft defines', () => {
  const draft7 = { $schema: 'http://json-schema.org/draft-07/schema#' };
  verdicts([
    [
      { ...draft7, ...list, items: [whole, text], additionalItems: whole, minItems: 1 },
      [[1], [1, 'a', 2]],
      [[], ['a'], [1, 'a', 'b']],
    ],
    [{ ...draft7, ...list, items: [whole], additionalItems: false, minItems: 1 }, [[1]], [[1, 2]]],
    [
      { ...draft7, ...object, dependencies: { a: ['b'], c: { ...has('d') } } },
      [{ a: 1, b: 1 }, { c: 1, d: 1 }, { b: 1 }],
      [{ a: 1 }, { c: 1 }],
    ],
    [{ ...draft7, definitions: { n: whole }, $ref: '#/definitions/n' }, [1], ['a']],
  ]);
});

describe('values are compared as JSON', () => {
  verdicts([
    [{ const: 1 }, [1, 1.0], ['1', true]],
    [
      { const: { a: 1, b: [{ c: 2 }] } },
      [{ b: [{ c: 2 }], a: 1 }],
      [{ a: 1 }, { a: 1, b: [{ c: 2 }], d: 1 }],
    ],
    [
      { enum: [0, 'a', [1], { a: null }] },
      [0, -0, 'a', [1], { a: null }],
      [false, '0', [], [true], { a: undefined }],
    ],
    [{ ...whole }, [1, 1.0, -3, 9e15], [1.5, '1', Number.NaN]],
    [{ type: ['integer', 'number'] }, [1.5], ['a']],
    [{ type: ['integer', 'null'] }, [null, 2], [1.5]],
    [
      { ...list, uniqueItems: true },
      [[1, '1', [1], { a: 1 }]],
      [
        [1, 1.0],
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      ],
    ],
    [{ ...text, minLength: 2, maxLength: 3 }, ['😀😀', 'abc', '😀b'], ['😀', 'abcd', '😀😀😀😀']],
    [
      { ...object, minProperties: 1, maxProperties: 1 },
      [{ a: 1, b: undefined }],
      [{}, { a: undefined }, { a: 1, b: 1 }],
    ],
  ]);

  test('inherited members count as absent, and a field named __proto__ is an ordinary field', () => {
    expect(holds({ ...object, ...has('toString') }, {})).toBe(false);
    expect(holds({ ...object, ...field('toString', false) }, {})).toBe(true);
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"}},"additionalProperties":false}',
    );
    expect(holds(schema, JSON.parse('{"__proto__":"a"}'))).toBe(true);
    expect(holds(schema, JSON.parse('{"__proto__":1}'))).toBe(false);
    expect(holds(schema, JSON.parse('{"constructor":1}'))).toBe(false);
  });
});

describe('multipleOf compares decimal digits', () => {
  const of = (multipleOf: number) => ({ type: 'number', multipleOf });
  verdicts([
    [of(0.01), [19.99, 0, -0.07, 1e21, 123_456_789.01, 4.35, 1.1], [19.999, 0.005, 1e-300]],
    [of(0.1), [0.3, 0.7, 1.1, 1e308], [0.35]],
    [of(1e-300), [1e-300, 3e-300, 1, 1e308, 19.99], [1.5e-300, 1e-301, 5e-324]],
    [of(1e308), [0, 1e308, -1e308], [1, 9e307, 1.5e308]],
    [of(3), [3, -9, 0, 3e300], [1, 1e300, 1.5]],
    [of(2.5), [2.5, 10, 1e22], [1, 2.4]],
    [of(5e-324), [5e-324, 1, 1e308], []],
    [of(Number.MAX_VALUE), [Number.MAX_VALUE], [1e308]],
    [of(2 ** 53 - 1), [2 ** 53 - 1], [2 ** 53]],
  ]);
});
