import { describe, expect, test } from 'vitest';
import { chooseCase } from './choose-case.ts';

const RUN = { inputs: {}, steps: {}, run: { id: 'run_1' } };

function ask(condition: string, state: unknown, schema?: unknown) {
  const schemas = schema === undefined ? {} : { state: schema };
  const chosen = chooseCase({
    cases: { [condition]: 'yes' },
    default: 'no',
    variables: { ...RUN, state },
    schemas,
  });
  return 'next' in chosen ? chosen.next : chosen.failed;
}

describe('data', () => {
  test.each([
    ['a null field is there', 'has(state.none) && "none" in state', { none: null }, 'yes'],
    ['a field of a text is an error', 'has(state.text.length)', { text: 'a' }, 'EXPRESSION_FAILED'],
    ['a field of a prototype is absent', 'has(state.toString) || "constructor" in state', {}, 'no'],
    ['a field of a prototype has no value', 'state.constructor == null', {}, 'EXPRESSION_FAILED'],
    ['an own __proto__ is a field', 'state.__proto__.a == 1', JSON.parse('{"__proto__":{"a":1}}'), 'yes'],
    ['an own constructor is a field', 'state.constructor == "a"', { constructor: 'a' }, 'yes'],
    ['a variable without a value fails', 'state.a == 1', undefined, 'EXPRESSION_FAILED'],
    ['an index beyond the list fails', 'state.list[2] == 1', { list: [1, 2] }, 'EXPRESSION_FAILED'],
    ['an index before the list fails', 'state.list[-1] == 1', { list: [1, 2] }, 'EXPRESSION_FAILED'],
    ['a double is an index if it is whole', 'state.list[state.at] == 2', { list: [1, 2], at: 1 }, 'yes'],
    ['a key with a dot is reached by index', 'state["a.b"] == 1', { 'a.b': 1 }, 'yes'],
    ['the keys of a map are looped over', 'state.all(k, k.startsWith("a"))', { a1: 0, a2: 0 }, 'yes'],
    [
      'lists are compared by value',
      'state.a == [1, "x", null, {"k": [true]}]',
      { a: [1, 'x', null, { k: [true] }] },
      'yes',
    ],
    ['a text counts code points', 'size(state.a) == 2', { a: '😀é' }, 'yes'],
    ['texts are ordered by code points', 'state.a > state.b', { a: '😀', b: '\uffee' }, 'yes'],
  ])('%s', (_, condition, state, chosen) => {
    expect(ask(condition, state)).toBe(chosen);
  });
});

describe('failures', () => {
  test.each([
    ['an operand that decides absorbs a failure', 'state.missing == 1 || true', 'yes'],
    ['in any order', 'false && state.missing == 1', 'no'],
    ['exists absorbs a failure before a match', '[0, 1].exists(x, 1 / x == 1)', 'yes'],
    ['all absorbs a failure before a mismatch', '[0, 1].all(x, 1 / x == 2)', 'no'],
    ['exists fails without a match', '[0, 1].exists(x, 1 / x == 2)', 'EXPRESSION_FAILED'],
    ['filter fails with an item', '[0, 1].filter(x, 1 / x == 1) == [1]', 'EXPRESSION_FAILED'],
    ['a test that is no bool fails', '[1].exists(x, x)', 'EXPRESSION_FAILED'],
    ['the other branch is not evaluated', '(true ? 1 : state.missing) == 1', 'yes'],
    ['an overflow fails', '9223372036854775807 + 1 > 0', 'EXPRESSION_FAILED'],
    ['a division by zero fails', '1 / 0 == 0', 'EXPRESSION_FAILED'],
    ['an empty text is no number', 'int("") == 0', 'EXPRESSION_FAILED'],
    ['a hexadecimal text is no number', 'int("0x10") == 16', 'EXPRESSION_FAILED'],
    ['a word is no double', 'double("many") > 0.0', 'EXPRESSION_FAILED'],
    [
      'a day that does not exist fails',
      'timestamp("2026-02-30T00:00:00Z") > timestamp(0)',
      'EXPRESSION_FAILED',
    ],
    ['the name of a zone fails', 'timestamp(0).getHours("Europe/Berlin") == 1', 'EXPRESSION_FAILED'],
  ])('%s', (_, condition, chosen) => {
    expect(ask(condition, {})).toBe(chosen);
  });

  test('a condition that was not checked fails, and does not fall through to the default', () => {
    expect(ask('process.exit()', {})).toBe('EXPRESSION_FAILED');
  });

  test('the message names the condition and the reason', () => {
    const chosen = chooseCase({ cases: { 'state.a > 1': 'b' }, variables: { ...RUN, state: {} } });
    expect(chosen).toEqual({
      failed: 'EXPRESSION_FAILED',
      message: 'The case "state.a > 1" cannot be evaluated: the field a is missing.',
    });
  });
});

describe('integers', () => {
  const integer = { type: 'integer' };
  test.each([
    [
      'of a reference',
      { properties: { n: { $ref: '#/$defs/n' } }, $defs: { n: integer } },
      { n: 3 },
      'state.n + 1 == 4',
    ],
    [
      'of a choice with null',
      { properties: { n: { anyOf: [integer, { type: 'null' }] } } },
      { n: 3 },
      'state.n + 1 == 4',
    ],
    [
      'of a list of types',
      { properties: { n: { type: ['integer', 'null'] } } },
      { n: 3 },
      'state.n + 1 == 4',
    ],
    ['of a part of allOf', { allOf: [{ properties: { n: integer } }] }, { n: 3 }, 'state.n + 1 == 4'],
    ['of other properties', { additionalProperties: integer }, { n: 3 }, 'state.n + 1 == 4'],
    [
      'of a position in a list',
      { properties: { n: { prefixItems: [{}, integer] } } },
      { n: [1, 2] },
      'state.n[1] + 1 == 3',
    ],
    [
      'of the items after positions',
      { properties: { n: { prefixItems: [{}], items: integer } } },
      { n: [1, 2] },
      'state.n[1] + 1 == 3',
    ],
    [
      'of an object in a list',
      { properties: { n: { items: { properties: { m: integer } } } } },
      { n: [{ m: 2 }] },
      'state.n[0].m + 1 == 3',
    ],
  ])('%s', (_, schema, state, condition) => {
    expect(ask(condition, state, schema)).toBe('yes');
  });

  test.each([
    ['a number that may be a fraction', { properties: { n: { type: ['integer', 'number'] } } }, { n: 3 }],
    ['a fraction, whatever the schema says', { properties: { n: integer } }, { n: 3.5 }],
    ['a number beyond 53 bits', { properties: { n: integer } }, { n: 2 ** 60 }],
    ['a field that the schema does not name', { properties: { m: integer } }, { n: 3 }],
    ['a name of a prototype', { properties: {} }, { n: 3 }],
    ['a reference that refers to itself', { properties: { n: { $ref: '#/properties/n' } } }, { n: 3 }],
  ])('%s is a double', (_, schema, state) => {
    expect(ask('type(state.n) == double', state, schema)).toBe('yes');
  });
});

describe('hostile data', () => {
  test('fails on data that are nested too deep', () => {
    const deep = JSON.parse(`${'['.repeat(60_000)}1${']'.repeat(60_000)}`);
    expect(ask('state.a[0] == 1', { a: deep })).toBe('EXPRESSION_FAILED');
  });

  test('fails on data that are not JSON', () => {
    expect(ask('state.a == 1', { a: () => 1 })).toBe('EXPRESSION_FAILED');
  });

  test('too much work ends the evaluation, even where || would ignore a failure', () => {
    const many = Array.from({ length: 60_000 }, (_, at) => at);
    expect(ask('state.list.exists(x, !(x in state.list)) || true', { list: many })).toBe('EXPRESSION_FAILED');
  });
});
