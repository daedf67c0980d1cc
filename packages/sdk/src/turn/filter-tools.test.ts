import { expect, test } from 'vitest';
import { filterTools } from './filter-tools.ts';

const allowed = ['pay'];

test.each<[string, object[], object[]]>([
  [
    'of OpenAI chat completions',
    [
      { type: 'function', function: { name: 'pay' } },
      { type: 'function', function: { name: 'steal' } },
    ],
    [{ type: 'function', function: { name: 'pay' } }],
  ],
  [
    'of OpenAI responses',
    [{ type: 'function', name: 'pay' }, { type: 'web_search' }],
    [{ type: 'function', name: 'pay' }],
  ],
  [
    'of Anthropic',
    [
      { name: 'steal', input_schema: {} },
      { name: 'pay', input_schema: {} },
    ],
    [{ name: 'pay', input_schema: {} }],
  ],
  [
    'of Google',
    [
      { functionDeclarations: [{ name: 'pay' }, { name: 'steal' }] },
      { functionDeclarations: [{ name: 'steal' }] },
      { googleSearch: {} },
    ],
    [{ functionDeclarations: [{ name: 'pay' }] }],
  ],
])('keeps only the allowed definitions %s', (_what, definitions, shown) => {
  expect(filterTools(definitions, allowed)).toEqual(shown);
});

test('keeps the allowed tools of an object, as they are', () => {
  const pay = { execute: () => 'paid' };
  expect(filterTools({ pay, steal: {} }, allowed)).toEqual({ pay });
  expect(filterTools({ pay, steal: {} }, allowed).pay).toBe(pay);
});
