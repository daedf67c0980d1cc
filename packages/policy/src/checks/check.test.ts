import { expect, test } from 'vitest';
import { obliging } from './check.ts';

test('a check that obliges to something has passed, and its record does not name the duty', () => {
  expect(obliging('notes', { notebook: 'team' }, { maxResults: 3 })).toEqual({
    result: 'oblige',
    check: { check: 'notes', result: 'pass', evidence: { notebook: 'team' } },
    obligations: { maxResults: 3 },
  });
});
