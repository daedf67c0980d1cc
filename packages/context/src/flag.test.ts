import { expect, test } from 'vitest';
import { isEnabledIn } from './flag.ts';

test.each([
  [undefined, true],
  ['', true],
  ['true', true],
  ['1', true],
  ['false', false],
  [' FALSE ', false],
  ['0', false],
])('ENABLE_MANIFEST_BUILDER=%s turns the builder on: %s', (value, expected) => {
  expect(isEnabledIn({ ENABLE_MANIFEST_BUILDER: value })).toBe(expected);
});
