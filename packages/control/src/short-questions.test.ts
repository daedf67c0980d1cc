import { expect, test } from 'vitest';
import { shortQuestions, WEEKEND_MS } from './short-questions.ts';

const TOOLS = Object.entries({
  asks: { requiresConfirmation: true },
  'asks for a while': { requiresConfirmation: true, questionMs: 3_600_000 },
  'asks no person': {},
  'asks no person explicitly': { requiresConfirmation: false, questionMs: null },
});

test('names the tools with questions that expire with the replay memory before a weekend is over', () => {
  expect(shortQuestions(TOOLS, WEEKEND_MS - 1)).toEqual(['asks']);
  expect(shortQuestions(TOOLS, WEEKEND_MS)).toEqual([]);
});
