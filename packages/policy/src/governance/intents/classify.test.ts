import { expect, test } from 'vitest';
import { stepBudgetOfAction } from '../../step-budget.ts';
import { compileIntents } from './classify.ts';

const OTHER = { id: 'other', triggers: { fallback: true } };

test('of equal keywords, the trigger is the first of the manifest', () => {
  const { classify } = compileIntents({
    intents: [{ id: 'pet', triggers: { keywords: ['cat', 'dog'] } }, OTHER],
  });
  expect(classify('a dog and a cat', stepBudgetOfAction())).toMatchObject({ by: 'keyword', trigger: 'cat' });
});

test('the length of evidence is in characters', () => {
  const { classify } = compileIntents({ intents: [{ id: 'han', triggers: { patterns: ['𠮷+'] } }, OTHER] });
  expect(classify('𠮷𠮷', stepBudgetOfAction())).toMatchObject({ trigger: '𠮷+', length: 2 });
});

test('refuses intents without a fallback', () => {
  expect(() => compileIntents({ intents: [{ id: 'pet', triggers: { keywords: ['cat'] } }] })).toThrow(
    'no intent has triggers.fallback',
  );
});

test('a keyword counts where it is a whole word, although it was part of a longer word before', () => {
  const { classify } = compileIntents({ intents: [{ id: 'work', triggers: { keywords: ['work'] } }, OTHER] });
  expect(classify('a workshop about work', { left: 1_000 })).toMatchObject({ id: 'work' });
  expect(classify('a workshop', { left: 1_000 })).toMatchObject({ id: OTHER.id });
});

test('a keyword of many intents costs one step for each intent, however often a text has it', () => {
  const many = Array.from({ length: 1_000 }, (_, at) => ({ id: `i${at}`, triggers: { keywords: ['a'] } }));
  const { classify } = compileIntents({ intents: [...many, OTHER] });
  expect(classify('a '.repeat(100), { left: 3_000 })).toBeNull();
  expect(classify('a '.repeat(100), { left: 4_000 })).toMatchObject({ id: 'i0' });
});
