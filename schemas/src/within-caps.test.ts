import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readJson } from './read-json.ts';
import { isWithinCaps } from './within-caps.ts';

const caps = { depth: 3, keys: 5, elements: 6, stringUnits: 100 };

/** Makes values that the strict reader refuses, if at all, because of their depth, keys or elements. */
const { nested } = fc.letrec((tie) => ({
  nested: fc.oneof(
    { depthSize: 'medium', maxDepth: 5 },
    fc.constantFrom(null, true, 7, 'text'),
    fc.array(tie('nested'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('nested')),
  ),
}));

test('accepts a value exactly if the strict reader accepts its JSON text', () => {
  let refused = 0;
  fc.assert(
    fc.property(nested, (json) => {
      const isRead = reads(JSON.stringify(json));
      if (!isRead) refused += 1;
      expect(isWithinCaps(json, caps)).toBe(isRead);
    }),
    { numRuns: 500 },
  );
  expect(refused).toBeGreaterThan(50);
});

test('does not count a field that is left out of the JSON text', () => {
  const fields = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, undefined]));
  expect(isWithinCaps(fields, caps)).toBe(true);
});

function reads(text: string): boolean {
  try {
    readJson(text, { ...caps, stringUnits: 10_000 });
    return true;
  } catch {
    return false;
  }
}
