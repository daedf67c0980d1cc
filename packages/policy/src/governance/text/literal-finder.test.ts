import { expect, test } from 'vitest';
import { type LiteralFinder, literalFinder } from './literal-finder.ts';

function occurrences(finder: LiteralFinder, text: string, stepBudget = { left: 1_000 }) {
  const found: [literal: number, start: number, end: number][] = [];
  const complete = finder.find(text, stepBudget, (...occurrence) => found.push(occurrence));
  return { complete, found, left: stepBudget.left };
}

test('finds literals within, over and equal to others, in the order of their ends', () => {
  const finder = literalFinder(['abcd', 'bc', 'cde', 'bc', 'd']);
  expect(occurrences(finder, 'xabcde').found).toEqual([
    [1, 2, 4],
    [3, 2, 4],
    [0, 1, 5],
    [4, 4, 5],
    [2, 3, 6],
  ]);
});

test('a search costs two steps for each character, and twenty for each occurrence', () => {
  const finder = literalFinder(['a']);
  expect(occurrences(finder, 'axa', { left: 46 })).toMatchObject({ complete: true, left: 0 });
  expect(occurrences(finder, 'axa', { left: 45 })).toMatchObject({ complete: false, found: [[0, 0, 1]] });
  expect(occurrences(finder, 'axa', { left: 5 })).toMatchObject({ complete: false, found: [] });
});
