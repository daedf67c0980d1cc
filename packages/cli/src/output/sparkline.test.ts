import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sparkline } from './sparkline.ts';

it.each([
  [[0, 1, 2, 4, 8], ' ▁▂▄█'],
  [[null, 3, 0], ' █ '],
  [[], ''],
  [[-5, 10], ' █'],
])('draws %j', (values, drawn) => {
  expect(sparkline(values)).toBe(drawn);
});

it('draws one character for each value, and a larger value at least as high as a smaller one', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: 2 }), (values) => {
      const drawn = Array.from(sparkline(values));
      expect(drawn).toHaveLength(values.length);
      const sorted = Array.from(sparkline(values.toSorted((a, b) => a - b)));
      expect(sorted).toEqual(sorted.toSorted());
    }),
  );
});
