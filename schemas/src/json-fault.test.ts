import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keysIn, placeOf, placesIn, pointerStep } from './json-fault.ts';

test('counts the line breaks before a place, and the characters after the last of these line breaks', () => {
  const lines = fc.string({ unit: fc.constantFrom('\n', '\r', 'a', '漢', '\ud83d') });
  fc.assert(
    fc.property(lines, fc.constantFrom(1, 1_000), fc.array(fc.nat(9_000)), (once, times, offsets) => {
      const text = once.repeat(times);
      const place = placesIn(text);
      for (const offset of offsets.filter((at) => at <= text.length)) {
        const before = text.slice(0, offset).split('\n');
        const expected = { line: before.length, column: (before.at(-1) ?? '').length + 1 };
        expect(place(offset)).toEqual(expected);
        expect(placeOf(text, offset)).toEqual(expected);
      }
    }),
  );
});

test('returns the keys from which a pointer was made', () => {
  const lists = fc.array(fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a') }));
  fc.assert(
    fc.property(lists, (keys) => {
      expect(keysIn(keys.map(pointerStep).join(''))).toEqual(keys);
    }),
  );
});
