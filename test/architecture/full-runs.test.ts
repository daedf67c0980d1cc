/**
 * `npm test` leaves some test files to a full run. For each of them, `npm test` has a test of the same promise, and
 * docs/testing.md lists the file.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FAULTS } from '../faults/catalogue.ts';
import { FULL_RUN_FILES } from '../full-runs.ts';
import { SLOW_FILES } from '../slow-first.ts';

const ROOT = join(import.meta.dirname, '../..');
const full = new Set(FULL_RUN_FILES.map(({ file }) => file));

test('files of a full run exist, and so do the tests that replace them in npm test', () => {
  const named = FULL_RUN_FILES.flatMap(({ file, shortRun }) => [file, ...shortRun]);
  expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  expect(
    FULL_RUN_FILES.filter(({ shortRun }) => shortRun.length === 0 || shortRun.some((file) => full.has(file))),
  ).toEqual([]);
});

test('for every fault in the catalogue, npm test runs a test', () => {
  expect(
    FAULTS.filter(({ tests }) => tests.every((file) => full.has(file))).map(({ number }) => number),
  ).toEqual([]);
});

test('docs/testing.md lists every file of a full run', () => {
  const page = readFileSync(join(ROOT, 'docs/testing.md'), 'utf8');
  expect([...full].filter((file) => !page.includes(`\`${file}\``))).toEqual([]);
});

test('the files that vitest starts first exist', () => {
  expect(SLOW_FILES.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});
