import { expect, test } from 'vitest';
import { nameOf, personOf } from './record-names.ts';

test.each([
  ['chat-1', 'chat-1'],
  ['chat 1\u200b\n', 'chat_1__'],
  ['x'.repeat(300), 'x'.repeat(200)],
  ['', null],
  [5, null],
  [undefined, null],
])('%j is recorded as %j', (stated, expected) => {
  expect(nameOf(stated)).toBe(expected);
});

test.each([
  [
    { id: 'mia', role: 'user' },
    { id: 'mia', role: 'user' },
  ],
  [{ id: 'mia', role: 'a role' }, { id: 'mia' }],
  [{ id: 'mia li' }, null],
  [{ id: '' }, null],
  [{ id: 'x'.repeat(201) }, null],
  [{}, null],
  ['mia', null],
  [null, null],
])('the person %j is recorded as %j', (stated, expected) => {
  expect(personOf(stated)).toEqual(expected);
});
