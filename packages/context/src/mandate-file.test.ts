/** Plays the test cases of the mandate in this package, in the same way as `mandate test`. */
import { join } from 'node:path';
import { playCase, readCases } from '@mandate/cases';
import { expect, test } from 'vitest';

const cases = readCases([join(import.meta.dirname, '../context-builder.test.yaml')], {});

test.each(cases.map((one) => [one.name, one] as const))('the shipped mandate: %s', async (_, one) => {
  const told = await playCase(one, ({ reason }) => reason);
  expect(told.ok, JSON.stringify(told.steps)).toBe(true);
});
