import { expect, test } from 'vitest';
import { leavesOf } from './leaves-of.ts';

test('returns a path and JSON for every value', () => {
  const args = { to: 'a@b.example', items: [{ n: 1 }, 'x'], empty: {}, none: [], 'a b': null, 'a.b': true };
  expect(leavesOf('args', args)).toEqual([
    { path: 'args.to', json: '"a@b.example"' },
    { path: 'args.items[0].n', json: '1' },
    { path: 'args.items[1]', json: '"x"' },
    { path: 'args.empty', json: '{}' },
    { path: 'args.none', json: '[]' },
    { path: 'args["a b"]', json: 'null' },
    { path: 'args["a.b"]', json: 'true' },
  ]);
});

test('returns no values if the whole value is an empty object', () => {
  expect(leavesOf('args', {})).toEqual([]);
});

test('finds a value that is nested deeply', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`);
  expect(leavesOf('args', deep)).toEqual([{ path: `args${'.a'.repeat(5_000)}`, json: '1' }]);
});
