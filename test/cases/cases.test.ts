/**
 * Runs every golden case in this folder. A golden case shows a promise of docs/semantics.md as requests with their
 * exact answers.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readCases } from './case-file.ts';
import { runCase } from './run-case.ts';

const folder = new URL('.', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));

test('the folder contains golden cases', () => expect(files.length).toBeGreaterThan(10));

describe.each(files)('%s', (file) => {
  const cases = readCases(readFileSync(new URL(file, folder), 'utf8'));
  test.each(cases)('$name', (golden) => runCase(golden));
});
