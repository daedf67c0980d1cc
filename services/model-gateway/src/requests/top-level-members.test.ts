import fc from 'fast-check';
import { expect, test } from 'vitest';
import { objectText, repeatedName } from './top-level-members.ts';

/** Writes a value as JSON, with blanks between its parts. */
function spacious(value: object): string {
  return JSON.stringify(value, null, '\t ');
}

test('finds each member of any object, and where its value is', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (object) => {
      for (const json of [JSON.stringify(object), spacious(object)]) {
        const members = objectText(json)?.members ?? [];
        const read = members.map(({ name, start, end }) => [name, JSON.parse(json.slice(start, end))]);
        expect(read).toEqual(Object.entries(JSON.parse(json)));
      }
    }),
  );
});

test.each(['[1]', '"text"', '1', 'null'])('finds no members in %s', (json) => {
  expect(objectText(json)).toBeNull();
});

test('finds a name that occurs twice, however it is written', () => {
  const repeatedIn = (json: string) => {
    const object = objectText(json);
    return object && repeatedName(object);
  };
  expect(repeatedIn('{"model":"a","model":"b"}')).toBe('model');
  expect(repeatedIn('{"model":"a","mod\\u0065l":"b"}')).toBe('model');
  expect(repeatedIn('{"model":"a","MODEL":"b"}')).toBe('MODEL');
  expect(repeatedIn('{"stream":true,"\\u017ftream":false}')).toBe('ſtream');
  expect(repeatedIn('{"model":"a","metadata":{"model":"b"}}')).toBeNull();
});
