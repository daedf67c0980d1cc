import { expect, test } from 'vitest';
import { lineDiff, shortened } from './line-diff.ts';

const SIGNS = { same: ' ', added: '+', removed: '-' } as const;
const written = (before: string, after: string) =>
  lineDiff(before, after).map((line) => `${SIGNS[line.is]}${line.text}`);

test.each([
  ['a\nb\n', 'a\nb\n', [' a', ' b']],
  ['a\nb\n', 'a\nc\n', [' a', '-b', '+c']],
  ['a\nb\nc\n', 'a\nc\n', [' a', '-b', ' c']],
  ['a\nc\n', 'a\nb\nc\n', [' a', '+b', ' c']],
  ['', 'a\n', ['+a']],
  ['a\n', '', ['-a']],
  ['x\na\nb\n', 'a\nb\ny\n', ['-x', ' a', ' b', '+y']],
])('compares %j with %j', (before, after, lines) => {
  expect(written(before, after)).toEqual(lines);
});

test('keeps every line of both texts, for any texts', () => {
  for (let round = 0; round < 200; round += 1) {
    const text = (seed: number) =>
      Array.from({ length: (seed * 7) % 9 }, (_, at) => 'abc'[(seed * (at + 3) + at) % 3]).join('\n');
    const [before, after] = [text(round), text(round * 3 + 1)];
    const lines = lineDiff(before, after);
    const side = (other: 'added' | 'removed') =>
      lines
        .filter((line) => line.is !== other)
        .map((line) => line.text)
        .join('\n');
    expect([side('added'), side('removed')]).toEqual([before, after]);
  }
});

test('leaves out equal lines that are far from every change', () => {
  const before = Array.from({ length: 20 }, (_, at) => `line ${at}`);
  const after = before.with(10, 'changed');
  const parts = shortened(lineDiff(before.join('\n'), after.join('\n')));
  expect(parts.map((part) => (typeof part === 'number' ? part : part.length))).toEqual([7, 8, 6]);
});
