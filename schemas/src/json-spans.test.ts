import fc from 'fast-check';
import { expect, test } from 'vitest';
import { elementsOf, membersOf, replaceSpans } from './json-spans.ts';

const spaced = fc.json({ maxDepth: 4 }).map((text) => JSON.stringify(JSON.parse(text), null, 1));

test('finds the members of every object, also those with the same key', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ unit: 'binary' }), spaced)), (members) => {
      const written = members.map(([key, value]) => `${JSON.stringify(key)} :\n${value}`);
      const text = ` { ${written.join(' , ')} } `;
      const found = membersOf(text);
      expect(found?.map(({ key, start, end }) => [key, text.slice(start, end)])).toEqual(members);
    }),
  );
});

test('finds the elements of every list', () => {
  fc.assert(
    fc.property(fc.array(spaced), (elements) => {
      const text = `[${elements.join(',\t')}]`;
      expect(elementsOf(text)?.map(({ start, end }) => text.slice(start, end))).toEqual(elements);
    }),
  );
});

test('distinguishes objects and lists from other values', () => {
  for (const text of ['[{}]', '"{"', '7', 'null', ' true ']) expect(membersOf(text)).toBeNull();
  for (const text of ['{"a":[]}', '"["', '7', 'null']) expect(elementsOf(text)).toBeNull();
});

test('replaces parts of a text, and keeps everything else', () => {
  expect(
    replaceSpans('0123456789', [
      { start: 7, end: 9, by: 'b' },
      { start: 1, end: 1, by: 'aa' },
    ]),
  ).toBe('0aa123456b9');
});
