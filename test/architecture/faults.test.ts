/** The catalogue of faults names only tests that exist, and every fault test is in the catalogue. */
import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FAULTS } from '../faults/catalogue.ts';
import { ROOT } from './repository.ts';

const named = FAULTS.flatMap(({ tests }) => tests);

test('has each number once, in order', () => {
  const numbers = FAULTS.map(({ number }) => number);
  expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
});

test('names only tests that exist', () => {
  const there = new Set(globSync('{test,packages,services,schemas}/**/*.test.ts', { cwd: ROOT }));
  expect(named.filter((name) => !there.has(name))).toEqual([]);
});

test('names every fault test', () => {
  const unnamed = globSync('test/faults/**/*.test.ts', { cwd: ROOT }).filter((name) => !named.includes(name));
  expect(unnamed).toEqual([]);
});
