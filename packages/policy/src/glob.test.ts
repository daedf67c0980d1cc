import { matchesByTable, runs } from '@mandate/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileGlobs } from './glob.ts';

/** Enough patterns to make the matcher use the automaton. No name in these tests matches any of them. */
const MANY = Array.from({ length: 20 }, (_, at) => `\0${at}`);

describe('a single pattern', () => {
  test.each<[pattern: string, name: string, expected: boolean]>([
    ['get_user', 'get_user', true],
    ['get_user', 'Get_user', false],
    ['get_user', 'get_user2', false],
    ['', '', true],
    ['', 'a', false],
    ['*', '', true],
    ['*', 'any/thing.at\nall', true],
    ['***', '', true],
    ['get_*', 'get_', true],
    ['get_*', 'get_user.name/x', true],
    ['get_*', 'get', false],
    ['*_admin', '_admin', true],
    ['*_admin', 'delete_admin', true],
    ['*_admin', 'delete_admin2', false],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['a*b*c', 'a-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['a*b*b', 'ab', false],
    ['*ab*', 'xabx', true],
    ['*ab*', 'ba', false],
    ['*aab*', 'aaab', true],
    ['fs.?[a-z](+)', 'fs.?[a-z](+)', true],
    ['fs.read', 'fs-read', false],
    ['a\\*', 'a\\b', true],
    ['*\ud83d\ude00', 'smile \ud83d\ude00', true],
  ])('%j on %j: %j', (pattern, name, expected) => {
    expect(compileGlobs([pattern])(name)).toBe(expected ? pattern : null);
    expect(compileGlobs([...MANY, pattern])(name)).toBe(expected ? pattern : null);
  });
});

test('returns the first matching pattern of the list, whatever its kind', () => {
  const list = ['x*y*z', '*_user', 'get_*', 'get_user', '*t_u*', '*'];
  for (const match of [compileGlobs(list), compileGlobs([...MANY, ...list])]) {
    expect(match('get_user')).toBe('*_user');
    expect(match('get_thing')).toBe('get_*');
    expect(match('set_up')).toBe('*t_u*');
    expect(match('xyz')).toBe('x*y*z');
    expect(match('')).toBe('*');
  }
  expect(compileGlobs(['get_user', 'get_*', '*'])('get_user')).toBe('get_user');
  expect(compileGlobs(['*', 'get_user'])('get_user')).toBe('*');
  expect(compileGlobs(['get_*', 'get_user*'])('get_user_name')).toBe('get_*');
  expect(compileGlobs(['get_user*', 'get_*'])('get_user_name')).toBe('get_user*');
});

test('an empty list matches nothing', () => {
  expect(compileGlobs([])('')).toBeNull();
  expect(compileGlobs([])('a')).toBeNull();
});

test('agrees with a matcher that uses dynamic programming', () => {
  const over = (alphabet: string[], maxLength: number) =>
    fc.array(fc.constantFrom(...alphabet), { maxLength }).map((units) => units.join(''));
  fc.assert(
    fc.property(
      fc.array(over(['a', 'b', '*', '.'], 7), { maxLength: 20 }),
      fc.array(over(['a', 'b', '.', '\n'], 10), { minLength: 1, maxLength: 8 }),
      (patterns, names) => {
        const match = compileGlobs(patterns);
        for (const name of names) {
          expect(match(name)).toBe(patterns.find((pattern) => matchesByTable(pattern, name)) ?? null);
        }
      },
    ),
    { numRuns: runs(600) },
  );
});

describe('the matcher is fast even for hostile names and patterns', () => {
  // If one of these tests took quadratic time (10^9 steps or more), it would exceed the runner's time limit and fail.
  test.each([
    ['many stars', `${'a*'.repeat(5_000)}b`, 'a'.repeat(60_000)],
    ['a long middle that almost repeats', `*${'a'.repeat(30_000)}b*`, 'a'.repeat(65_000)],
    [
      'a long middle that differs at its beginning',
      `*${'a'.repeat(10)}b${'a'.repeat(32_000)}*`,
      'a'.repeat(65_000),
    ],
    ['a long border', `x*${'ab'.repeat(15_000)}c*`, `x${'ab'.repeat(32_000)}`],
  ])('%s', (_, pattern, name) => {
    const match = compileGlobs([...MANY, pattern]);
    for (let round = 0; round < 20; round += 1) expect(match(name)).toBeNull();
  });

  test('a thousand patterns with the same beginning, inside a name of sixty thousand letters', () => {
    const match = compileGlobs(Array.from({ length: 1_000 }, (_, i) => `*${'a'.repeat(i + 1)}b*`));
    for (let round = 0; round < 20; round += 1) expect(match('a'.repeat(60_000))).toBeNull();
    expect(match(`${'a'.repeat(700)}b`)).toBe('*ab*');
  });

  test('a thousand patterns and a hundred thousand new names', () => {
    const patterns = Array.from(
      { length: 1_000 },
      (_, i) => [`tool_${i}`, `area${i}_*`, `*_kind${i}`, `svc${i}.*.write`][i % 4] ?? '',
    );
    const match = compileGlobs(patterns);
    let matched = 0;
    for (let i = 0; i < 100_000; i += 1) if (match(`svc${i}.of.everything.write`) !== null) matched += 1;
    expect(matched).toBe(250);
  });
});
