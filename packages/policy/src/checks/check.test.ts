import { expect, test } from 'vitest';
import { obliging } from './check.ts';

test('a check that obliges to something has passed, and its record does not name the duty', () => {
  expect(obliging('notes', { notebook: 'team' }, { maxResults: 3 })).toEqual({
    said: 'oblige',
    check: { check: 'notes', said: 'pass', saw: { notebook: 'team' } },
    obligations: { maxResults: 3 },
  });
});
