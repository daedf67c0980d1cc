import { matchesByTable } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commonName } from './common-name.ts';
import { effortOf } from './effort.ts';
import { emptyTogether } from './empty-together.ts';

const enough = () => effortOf(300_000);

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
])('what they have in common: %s', (_, lists, name) => {
  expect(commonName(lists, enough())).toBe(name);
});

const glob = fc.array(fc.constantFrom('a', 'b', '*'), { maxLength: 4 }).map((all) => all.join(''));
const lists = fc.array(fc.array(glob, { maxLength: 2 }), { minLength: 1, maxLength: 3 });
/** Of up to eight letters. */
const EVERY_NAME = Array.from({ length: 9 }, (_, length) => length).flatMap((length) =>
  Array.from({ length: 2 ** length }, (_, number) =>
    Array.from({ length }, (_, at) => (((number >> at) & 1) === 0 ? 'a' : 'b')).join(''),
  ),
);

test('the shortest name that all of them match, if there is one', () => {
  fc.assert(
    fc.property(lists, (drawn) => {
      const matchedByAll = (name: string) =>
        drawn.every((list) => list.some((one) => matchesByTable(one, name)));
      const found = commonName(drawn, enough());
      const shortest = EVERY_NAME.find(matchedByAll);
      expect(found?.length ?? null).toBe(shortest?.length ?? null);
      if (typeof found === 'string') expect(matchedByAll(found)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('a smallest set that has nothing in common: without any one of it the others have', () => {
  fc.assert(
    fc.property(lists, (drawn) => {
      const set = emptyTogether(drawn, enough());
      if (commonName(drawn, enough()) !== null) {
        expect(set).toBeNull();
        return;
      }
      const names = (places: readonly number[]) =>
        commonName(
          places.map((at) => drawn[at] ?? []),
          enough(),
        );
      expect(names(set ?? [])).toBeNull();
      for (const left of set ?? []) {
        const others = (set ?? []).filter((at) => at !== left);
        if (others.length > 0) expect(names(others)).not.toBeNull();
      }
    }),
    { numRuns: 1_000 },
  );
});

test('where it would take too long, nobody is told that there is none', () => {
  const manyLetters = Array.from({ length: 16 }, (_, at) => [`*${String.fromCharCode(97 + at)}*`]);
  const letter = (of: number) => String.fromCharCode(97 + (of % 16));
  // Few patterns, and thousands of sets of places in them.
  const manyPlaces = ['X', 'Y'].map((end) =>
    Array.from({ length: 6 }, (_, at) => {
      const letters = [0, 1, 2].map((of) => letter(at * 7 + of * (at + 3)));
      return `*${letters.join('*')}*${end}`;
    }),
  );
  for (const hostile of [manyLetters, manyPlaces]) {
    const effort = enough();
    expect(commonName(hostile, effort)).toBeUndefined();
    expect(effort.left).toBeLessThan(0);
    expect(effort.left).toBeGreaterThan(-20_000);
    expect(emptyTogether(hostile, enough())).toBeUndefined();
  }
});
