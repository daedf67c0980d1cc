import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lineDiff } from './line-diff.ts';

const shown = (before: string, after: string) =>
  lineDiff(before.split('\n'), after.split('\n')).map(({ sign, line }) => `${sign}${line}`);

it('marks removed, added and unchanged lines', () => {
  expect(shown('{\n"a": 1,\n"b": 2\n}', '{\n"a": 1,\n"b": 3,\n"c": 4\n}')).toEqual([
    ' {',
    ' "a": 1,',
    '-"b": 2',
    '+"b": 3,',
    '+"c": 4',
    ' }',
  ]);
  expect(shown('a\nb\nc', 'b')).toEqual(['-a', ' b', '-c']);
});

it('contains both texts in full, and marks lines in both texts as unchanged', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const diff = lineDiff(before, after);
      const without = (sign: string) => diff.filter((line) => line.sign !== sign).map(({ line }) => line);
      expect([without('+'), without('-')]).toEqual([before, after]);
      expect(lineDiff(before, before).every(({ sign }) => sign === ' ')).toBe(true);
    }),
  );
});

it('ends quickly for two long texts without a common line', () => {
  const [before, after] = ['x', 'y'].map((name) => Array.from({ length: 5_000 }, (_, n) => `${name}${n}`));
  expect(lineDiff(before ?? [], after ?? [])).toHaveLength(10_000);
});
