import { expect, test } from 'vitest';
import { sortSkills } from './skills.ts';
import { systemPromptOf } from './system-prompt.ts';

const prompt = { role: 'a clerk', goal: 'Pay.' };
const none = sortSkills([], 'full');

test('has role, goal and backstory', () => {
  expect(systemPromptOf({ prompt, outputs: null }, none, [])).toBe('You are a clerk.\n\nYour goal: Pay.');
  const told = { ...prompt, backstory: 'You count well.' };
  expect(systemPromptOf({ prompt: told, outputs: null }, none, [])).toBe(
    'You are a clerk.\n\nYour goal: Pay.\n\nYou count well.',
  );
});

test('is replaced by the prompt of a step', () => {
  const own = { ...prompt, systemPrompt: 'Be a judge.' };
  expect(systemPromptOf({ prompt: own, outputs: null }, none, [])).toBe('Be a judge.');
});

test('says which tools have no server, and which form the answer must have', () => {
  const outputs = { schema: { type: 'object' }, faultOf: () => null };
  const text = systemPromptOf({ prompt, outputs }, none, ['add']);
  expect(text).toContain('These tools cannot be called here: add.');
  expect(text).toMatch(/\{"type":"object"\}$/);
});
