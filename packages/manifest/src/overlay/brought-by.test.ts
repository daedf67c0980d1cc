import { expect, test } from 'vitest';
import { isBroughtBy } from './brought-by.ts';

const base = { a: { b: { c: 1 }, list: [1, 2] }, text: 'x' };

test.each<[string, object, string[], boolean]>([
  ['a field that only the base has', { a: { b: {} } }, ['a', 'b', 'c'], false],
  ['a field that both have', { a: { b: { c: 2 } } }, ['a', 'b', 'c'], true],
  ['a field below a removed one', { a: null }, ['a', 'b', 'c'], true],
  ['a missing field of a map that both have', { a: { b: { d: 1 } } }, ['a', 'b', 'missing'], false],
  ['a missing field of a new map', { a: { e: {} } }, ['a', 'e', 'missing'], true],
  ['a missing field of a map that replaces a text', { text: {} }, ['text', 'missing'], true],
  ['an item of a list of the base', { a: {} }, ['a', 'list', '1'], false],
  ['an item of a replaced list', { a: { list: [3] } }, ['a', 'list', '0'], true],
])('%s', (_name, overlay, path, expected) => {
  expect(isBroughtBy(overlay, base, path)).toBe(expected);
});
