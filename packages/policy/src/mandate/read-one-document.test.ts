import { expect, test } from 'vitest';
import { readOneDocument } from './read-one-document.ts';

const read = (text: string) => readOneDocument(text, { what: 'manifest', begins: 'version: "1.0"' }, 10);

function faultsOf(text: string) {
  const one = read(text);
  return one.ok ? [] : one.faults;
}

test('returns plain data, and the place of any path', () => {
  const one = read('# comment\na:\n  - b: 1\n    c: [x, y]\n');
  if (!one.ok) throw new Error('refused');
  expect(one.value).toEqual({ a: [{ b: 1, c: ['x', 'y'] }] });
  expect(one.find([])).toEqual({ line: 2, column: 1 });
  expect(one.find(['a', 0])).toEqual({ line: 3, column: 5 });
  expect(one.find(['a', 0, 'c', 1])).toEqual({ line: 4, column: 12 });
  expect(one.find(['a', 0, 'missing', 'deeper'])).toEqual({ line: 3, column: 5 });
});

test('names the path of a key that stands twice', () => {
  const [fault, ...others] = faultsOf('a:\n  - b: 1\n    b: 2\n');
  expect(others).toEqual([]);
  expect(fault).toMatchObject({ keyTwice: true, path: 'a.0.b', line: 3, column: 5 });
});

test('leaves numbers that the text does not write exactly to the caller', () => {
  const one = read('a: .nan\nb: [1, 0x10]\n');
  if (!one.ok) throw new Error('refused');
  expect(one.inexact.map(({ path, at }) => [path, at])).toEqual([
    [['a'], { line: 1, column: 4 }],
    [['b', 1], { line: 2, column: 8 }],
  ]);
});

test.each([
  ['no document', '# only a comment\n', 'it has only comments'],
  ['broken YAML', 'a: [\n', ''],
  ['an entry that is indented differently', 'a:\n  b: 1\n c: 2\n', 'indent this line like the other entries'],
  ['a tab', 'a:\n\tb: 1\n', 'use blanks instead'],
  ['a single backslash in double quotes', 'a: "\\s+"\n', 'write each backslash twice'],
  ['a colon in a text', 'a: b: c\n', 'a text that contains ": " needs quotes'],
  ['a text that begins with @', 'a: @b\n', 'a text that begins with this character needs quotes'],
  ['a quote that is not closed', 'a: "b\n', 'check the indentation, the colons, commas, brackets and quotes'],
  ['a glob without quotes', 'a: *\n', 'a glob that begins with * needs quotes'],
  ['a second document', 'a: 1\n---\na: 2\n', 'a second document begins here'],
  ['an empty document', '---\n---\na: 2\n', 'this document is empty'],
  ['a reserved key', '__proto__: { a: 1 }\n', 'cannot be used as a key'],
  ['YAML 1.1', '%YAML 1.1\n---\na: yes\n', 'must be YAML 1.2'],
  ['too much nesting', `a: ${'['.repeat(100)}`, 'is nested too deeply'],
  ['one level too much of nesting', `a: ${'['.repeat(65)}`, 'is nested too deeply'],
  ['one level too much of items', '- '.repeat(66), 'is nested too deeply'],
])('refuses %s', (_name, text, message) => {
  const [fault] = faultsOf(text);
  expect(fault).toMatchObject({ keyTwice: false, path: '' });
  expect(fault?.message).toContain(message);
});
