import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineDiff } from './line-diff.ts';

const SIGNS = { same: ' ', added: '+', removed: '-' } as const;
const shown = (before: string, after: string): (string | number)[] =>
  lineDiff(before, after).flatMap((part): (string | number)[] =>
    typeof part === 'number' ? [part] : part.map(({ is, text }) => `${SIGNS[is]}${text}`),
  );

test.each([
  ['a\nb\n', 'a\nb\n', []],
  ['a\nb', 'a\nb\n', []],
  ['a\nb\n', 'a\nc\n', [' a', '-b', '+c']],
  ['a\nb\nc\n', 'a\nc\n', [' a', '-b', ' c']],
  ['a\nc\n', 'a\nb\nc\n', [' a', '+b', ' c']],
  ['', 'a\n', ['+a']],
  ['a\n', '', ['-a']],
  ['x\na\nb\n', 'a\nb\ny\n', ['-x', ' a', ' b', '+y']],
])('compares %j with %j', (before, after, lines) => {
  expect(shown(before, after)).toEqual(lines);
});

test('leaves out equal lines that are far from every change', () => {
  const before = Array.from({ length: 20 }, (_, at) => `line ${at}`);
  const after = before.with(10, 'changed');
  const parts = lineDiff(before.join('\n'), after.join('\n'));
  expect(parts.map((part) => (typeof part === 'number' ? part : part.length))).toEqual([7, 8, 6]);
});

test('counts or shows every line of both texts, for any texts', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', '', '\\ no line', '-d', '+e'), { maxLength: 30 });
  const text = lines.map((all) => all.map((line) => `${line}\n`).join(''));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const parts = lineDiff(before, after);
      const countOf = (other: 'added' | 'removed') =>
        parts
          .map((part) => (typeof part === 'number' ? part : part.filter(({ is }) => is !== other).length))
          .reduce((sum, count) => sum + count, 0);
      const counts = [before, after].map((one) => one.split('\n').length - 1);
      if (before === after) expect(parts).toEqual([]);
      else expect([countOf('added'), countOf('removed')]).toEqual(counts);
    }),
  );
});
