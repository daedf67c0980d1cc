import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hardWrap } from './hard-wrap.ts';

test('breaks within words, and indents each further line', () => {
  expect(hardWrap('abcdefghij', 6, '  ')).toEqual(['abcdef', '  ghij']);
  expect(hardWrap('abc', 6, '  ')).toEqual(['abc']);
});

test('leaves a line whole if the output is not a terminal', () => {
  expect(hardWrap('x'.repeat(1_000), Number.POSITIVE_INFINITY, '  ')).toEqual(['x'.repeat(1_000)]);
});

test('counts letters that may be wide as two columns', () => {
  expect(hardWrap('漢字漢字', 6, '  ')).toEqual(['漢字漢', '  字']);
});

test('loses no character, and makes no line longer than the terminal', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 200 });
  fc.assert(
    fc.property(text, fc.integer({ min: 6, max: 80 }), (said, width) => {
      const [first = '', ...others] = hardWrap(said, width, '    ');
      expect(others.every((line) => line.startsWith('    '))).toBe(true);
      expect(first + others.map((line) => line.slice(4)).join('')).toBe(said);
      expect([first, ...others].every((line) => line.length <= width)).toBe(true);
    }),
  );
});
