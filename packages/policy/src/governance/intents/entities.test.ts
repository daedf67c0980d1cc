import { describe, expect, test } from 'vitest';
import { endlessRoom } from '../../arguments/pattern-size.ts';
import { stepBudgetOfAction } from '../../step-budget.ts';
import { compileEntities } from './entities.ts';
import type { EntityFields } from './intents-document.ts';

const TYPES = { level: { pattern: 'N[1-5]', case: 'upper' as const } };
const LEVEL = { name: 'level', type: 'level' };
const COUNT = { name: 'count', type: 'integer', min: 1, max: 20 };

/** The evidence of the intent ends after the word `cards`, if the text begins with it. */
function find(entities: readonly EntityFields[], text: string) {
  const evidenceEnd = text.startsWith('cards') ? 'cards'.length : null;
  return compileEntities(entities, TYPES, endlessRoom())(text, evidenceEnd, stepBudgetOfAction());
}

const enumOf = (...values: string[]) => ({ name: 'choice', type: 'enum', values });

test.each<[string, EntityFields[], string, object]>([
  [
    'a string with a pattern, before a named type',
    [LEVEL, { name: 'code', type: 'string', pattern: 'N\\d' }],
    'N3',
    { code: 'N3' },
  ],
  ['a named type, before an enum', [enumOf('N3'), LEVEL], 'N3', { level: 'N3' }],
  ['an enum, before a number', [COUNT, enumOf('12')], '12', { choice: '12' }],
])('the same part of a text goes to %s', (_name, entities, text, expected) => {
  expect(find(entities, text).entities).toEqual(expected);
});

test.each<[string, EntityFields, string, object]>([
  [
    'the longest of values that begin together',
    enumOf('New', 'New York'),
    'new york',
    { choice: 'New York' },
  ],
  ['the first value in the text', enumOf('one', 'two'), 'two or one', { choice: 'two' }],
  ['no value within a word', enumOf('art'), 'party', {}],
  ['no named type within a word', LEVEL, 'N35', {}],
  ['a named type in its case', LEVEL, 'n3', { level: 'N3' }],
  [
    'the first group of a pattern',
    { name: 'who', type: 'string', pattern: 'named (\\w+)' },
    'named Al',
    { who: 'Al' },
  ],
])('finds %s', (_name, entity, text, expected) => {
  expect(find([entity], text).entities).toEqual(expected);
});

test('a default of null does not replace a required entity', () => {
  expect(find([{ ...COUNT, default: null, required: true }], 'none')).toMatchObject({
    entities: {},
    missing: ['count'],
  });
});

describe('numbers', () => {
  test.each<[string, EntityFields, string, object]>([
    ['not within a word', COUNT, 'a5 5a', {}],
    ['not with more than 9 digits', { name: 'count', type: 'integer' }, '1234567890', {}],
    ['within the bounds, after a number outside of them', COUNT, '50 7', { count: 7 }],
    ['at the upper bound', COUNT, '20', { count: 20 }],
    ['at the lower bound', COUNT, '1', { count: 1 }],
  ])('finds a number %s', (_name, entity, text, expected) => {
    expect(find([entity], text).entities).toEqual(expected);
  });

  test('a decimal number has at most 9 characters', () => {
    const entity = { name: 'price', type: 'number' };
    expect(find([entity], '1234567.89').entities).toEqual({});
    expect(find([entity], '123456.78').entities).toEqual({ price: 123_456.78 });
  });

  test('the first number outside of the bounds is invalid if no number is within them', () => {
    expect(find([{ ...COUNT, default: 5 }], '0 50')).toEqual({
      entities: {},
      missing: [],
      invalid: [{ name: 'count', value: 0, why: 'below' }],
    });
  });
});

describe('the text after the evidence', () => {
  const TOPIC = { name: 'topic', type: 'string' };

  test('has a blank instead of a part that another entity uses', () => {
    expect(find([TOPIC, LEVEL], 'cards red/N3/blue').entities).toEqual({ topic: 'red/ /blue', level: 'N3' });
  });

  test('has at most 200 characters, which can be 400 UTF-16 units', () => {
    expect(find([TOPIC], `cards ${'𠮷'.repeat(201)}`).entities).toEqual({ topic: '𠮷'.repeat(200) });
  });
});
