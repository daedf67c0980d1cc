import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deepEqual } from './deep-equal.ts';

test("plain data is equal exactly if Node's own comparison finds it equal", () => {
  const data = fc.jsonValue({ maxDepth: 3 }).filter((value) => !JSON.stringify(value).includes('-0'));
  fc.assert(
    fc.property(data, data, (one, other) => {
      expect(deepEqual(one, structuredClone(one))).toBe(true);
      expect(deepEqual(one, other)).toBe(isDeepStrictEqual(one, other));
    }),
  );
});

test('a list differs from an object, an object from an object with another name, and null from everything else', () => {
  for (const [one, other] of [
    [[], {}],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: undefined }, { b: undefined }],
    [null, {}],
    [[1, 2], [1]],
  ])
    expect([deepEqual(one, other), deepEqual(other, one)]).toEqual([false, false]);
});
