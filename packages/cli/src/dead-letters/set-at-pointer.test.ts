import { expect, it } from 'vitest';
import { changed, changeIn } from './set-at-pointer.ts';

const RECORD = { event: 'x', action: { args: { 'a/b': [1, 2] }, attempt: 0 } };

it.each([
  ['a number', '/action/attempt=1', { pointer: '/action/attempt', value: 1 }],
  ['a text', '/action/tool=look', { pointer: '/action/tool', value: 'look' }],
  ['a text that would be a number', '/action/tool="1"', { pointer: '/action/tool', value: '1' }],
  ['with an = of its own', '/a=b=c', { pointer: '/a', value: 'b=c' }],
  ['an empty text', '/a=', { pointer: '/a', value: '' }],
  ['no pointer', 'a=1', null],
  ['no value', '/a', null],
])('reads %s', (_what, text, change) => {
  expect(changeIn(text)).toEqual(change);
});

it.each([
  ['/action/attempt', 1, { ...RECORD, action: { ...RECORD.action, attempt: 1 } }],
  ['/action/tool', 'look', { ...RECORD, action: { ...RECORD.action, tool: 'look' } }],
  ['/action/args/a~1b/1', 3, { ...RECORD, action: { ...RECORD.action, args: { 'a/b': [1, 3] } } }],
  ['/action/args/a~1b/-', 3, { ...RECORD, action: { ...RECORD.action, args: { 'a/b': [1, 2, 3] } } }],
  ['/action/args/a~1b/0', undefined, { ...RECORD, action: { ...RECORD.action, args: { 'a/b': [2] } } }],
  ['/action', undefined, { event: 'x' }],
])('%s set to %j', (pointer, value, expected) => {
  const result = changed(RECORD, { pointer, value });
  expect(result).toEqual(expected);
  expect(Object.keys(result as object)[0]).toBe('event');
});

it.each(['/nothing/there', '/event/deeper', '/action/args/a~1b/7', '/action/args/a~1b/x'])(
  'refuses %s, which leads nowhere',
  (pointer) => {
    expect(() => changed(RECORD, { pointer, value: 1 })).toThrow('leads nowhere');
    expect(() => changed(RECORD, { pointer, value: undefined })).toThrow('leads nowhere');
  },
);

it('refuses a number that would be rounded, and takes it for no text', () => {
  expect(() => changeIn('/action/args/id=9007199254740993')).toThrow('would be rounded');
  expect(changeIn('/action/args/id="9007199254740993"')?.value).toBe('9007199254740993');
});

it('takes out only what is there', () => {
  expect(() => changed(RECORD, { pointer: '/action/tool', value: undefined })).toThrow('leads nowhere');
});
