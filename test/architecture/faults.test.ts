/** The catalogue of faults names tests that there are, and every test of faults stands in it. */
import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FAULTS } from '../faults/catalogue.ts';
import { ROOT } from './repository.ts';

const named = FAULTS.flatMap(({ tests }) => tests);

test('each number is given once, in order', () => {
  const numbers = FAULTS.map(({ number }) => number);
  expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
});

test('each test that it names is there', () => {
  const there = new Set(globSync('{test,packages,services,schemas}/**/*.test.ts', { cwd: ROOT }));
  expect(named.filter((name) => !there.has(name))).toEqual([]);
});

test('each test of faults is named', () => {
  const unnamed = globSync('test/faults/**/*.test.ts', { cwd: ROOT }).filter((name) => !named.includes(name));
  expect(unnamed).toEqual([]);
});
