import fc from 'fast-check';
import { expect, it } from 'vitest';
import { wrap } from './wrap.ts';

it.each([
  ['fits', 20, ['fits']],
  ['one two three', 7, ['one two', 'three']],
  ['a longer-than-that b', 5, ['a', 'longer-than-that', 'b']],
  ['', 5, ['']],
])('breaks %j at width %i', (text, width, lines) => {
  expect(wrap(text, width)).toEqual(lines);
});

it('loses no word, and exceeds the width only for a word that is wider', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1 });
  fc.assert(
    fc.property(words, fc.integer({ min: 9, max: 40 }), (given, width) => {
      const lines = wrap(given.join(' '), width);
      expect(lines.join(' ')).toBe(given.join(' '));
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
    }),
  );
});
