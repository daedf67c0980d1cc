import { matchesByTable, runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commonName } from './common-name.ts';
import { emptyTogether } from './empty-together.ts';
import { lintBudgetOf } from './lint-budget.ts';

const enough = () => lintBudgetOf(300_000);

test.each<[string, string[][], string | null]>([
  ['a family and a member of it', [['read_*'], ['read_file']], 'read_file'],
  ['two families', [['read_*'], ['*_file']], 'read_file'],
  ['ends that overlap', [['ab*'], ['*ba']], 'aba'],
  ['another family', [['read_*'], ['write_*']], null],
  [
    'one of several',
    [
      ['read_*', 'send'],
      ['write_*', 'send'],
    ],
    'send',
  ],
  ['everything', [['*'], ['*']], ''],
  ['a list that matches nothing', [['*'], []], null],
  ['beyond the first plane of Unicode', [['😀_*'], ['*_send']], '😀_send'],
  ['inside of a name', [['*mail*'], ['send_*_now']], 'send_mail_now'],
])('finds the name that lists have in common: %s', (_, lists, name) => {
  expect(commonName(lists, enough())).toBe(name);
});

const glob = fc.array(fc.constantFrom('a', 'b', '*'), { maxLength: 4 }).map((all) => all.join(''));
const list = fc.array(glob, { maxLength: 2 });
const lists = fc.array(list, { minLength: 1, maxLength: 3 });
const denied = fc.oneof(fc.constant([]), list);
/** Every name of up to eight letters. */
const EVERY_NAME = Array.from({ length: 9 }, (_, length) => length).flatMap((length) =>
  Array.from({ length: 2 ** length }, (_, number) =>
    Array.from({ length }, (_, at) => (((number >> at) & 1) === 0 ? 'a' : 'b')).join(''),
  ),
);

const ANOTHER = '\uE000';

test('finds the shortest name that all lists match and no list denies, if such a name exists', () => {
  fc.assert(
    fc.property(lists, denied, (drawn, denying) => {
      const isMatched = (globs: readonly string[], name: string) =>
        globs.some((one) => matchesByTable(one, name));
      const isCommon = (name: string) =>
        drawn.every((globs) => isMatched(globs, name)) && !isMatched(denying, name);
      const found = commonName(drawn, enough(), denying);
      const shortest = [...EVERY_NAME, ...EVERY_NAME.map((name) => name.replaceAll('b', ANOTHER))]
        .filter(isCommon)
        .toSorted((one, other) => one.length - other.length)[0];
      if (typeof found === 'string') expect(isCommon(found)).toBe(true);
      // If the search finds no name, none of the names tried here may fit. The search may also find a name that was
      // not tried: longer, or with other letters.
      else expect(shortest).toBeUndefined();
      if (shortest !== undefined) expect(found?.length).toBeLessThanOrEqual(shortest.length);
    }),
    { numRuns: runs(700) },
  );
});

test('finds a smallest set of lists without a common name: if any list is removed, there is a common name', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ allowed: list, denied }), { minLength: 1, maxLength: 3 }), (drawn) => {
      const set = emptyTogether(drawn, enough());
      const names = (places: readonly number[]) =>
        commonName(
          places.map((at) => drawn[at]?.allowed ?? []),
          enough(),
          places.flatMap((at) => drawn[at]?.denied ?? []),
        );
      if (names([...drawn.keys()]) !== null) {
        expect(set).toBeNull();
        return;
      }
      expect(names(set ?? [])).toBeNull();
      for (const left of set ?? []) {
        const others = (set ?? []).filter((at) => at !== left);
        if (others.length > 0) expect(names(others)).not.toBeNull();
      }
    }),
    { numRuns: runs(1_000) },
  );
});

test('does not claim that there is no name if the search would take too long', () => {
  const manyLetters = Array.from({ length: 16 }, (_, at) => [`*${String.fromCharCode(97 + at)}*`]);
  const letter = (of: number) => String.fromCharCode(97 + (of % 16));
  // These patterns are few and short, but their automata have thousands of states.
  const manyPlaces = ['X', 'Y'].map((end) =>
    Array.from({ length: 6 }, (_, at) => {
      const letters = [0, 1, 2].map((of) => letter(at * 7 + of * (at + 3)));
      return `*${letters.join('*')}*${end}`;
    }),
  );
  for (const hostile of [manyLetters, manyPlaces]) {
    const stepBudget = enough();
    expect(commonName(hostile, stepBudget)).toBeUndefined();
    expect(stepBudget.left).toBeLessThan(0);
    expect(stepBudget.left).toBeGreaterThan(-20_000);
    const all = hostile.map((allowed) => ({ allowed, denied: [] }));
    expect(emptyTogether(all, enough())).toBeUndefined();
  }
});
