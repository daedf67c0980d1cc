import { expect, test } from 'vitest';
import { shortQuestions, WEEKEND_MS } from './short-questions.ts';

const TOOLS = Object.entries({
  asks: { requiresConfirmation: true },
  'asks for a while': { requiresConfirmation: true, questionMs: 3_600_000 },
  'asks no person': {},
  'asks no person explicitly': { requiresConfirmation: false, questionMs: null },
});

test('names tools with questions that expire before a weekend is over, because the replay memory is too short', () => {
  expect(shortQuestions(TOOLS, WEEKEND_MS - 1)).toEqual(['asks']);
  expect(shortQuestions(TOOLS, WEEKEND_MS)).toEqual([]);
});
