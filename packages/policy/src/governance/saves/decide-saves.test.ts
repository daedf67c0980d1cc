import { expect, test } from 'vitest';
import { stepBudgetOfAction } from '../../step-budget.ts';
import { compileSaves, type WriteQuestion } from './decide-saves.ts';
import type { Lengths, SavesDocument } from './save-rules-document.ts';

const DOCUMENT: SavesDocument = {
  triggers: {
    episodic: { event: 'interaction_complete', condition: 'system_evaluation' },
    semantic: { event: 'interaction_complete', condition: 'pattern_match_permanent' },
  },
  save_rules: {
    permanent: { patterns: ['I like'], action: 'save_to_semantic' },
    episodic: { patterns: ['met'], action: 'summarize_and_save' },
  },
  user_isolation: true,
};

function decide(changes: Partial<SavesDocument>, question: Partial<WriteQuestion>) {
  const asked = { event: 'interaction_complete' as const, text: { user: 'We met' }, ...question };
  const decided = compileSaves({ ...DOCUMENT, ...changes })(asked, stepBudgetOfAction());
  return {
    saves: decided?.saves.map(({ store, rule }) => `${rule} to ${store}`),
    decidedBy: decided?.decidedBy,
  };
}

test('a rule does not save to a store that saves always', () => {
  const triggers = { episodic: { event: 'interaction_complete', condition: 'always' } } as const;
  expect(decide({ triggers }, {})).toEqual({ saves: ['always to episodic'], decidedBy: 'episodic' });
});

test('rules decide only on interaction_complete', () => {
  const triggers = { episodic: { event: 'message_sent', condition: 'system_evaluation' } } as const;
  expect(decide({ triggers }, { event: 'message_sent' })).toEqual({ saves: [], decidedBy: 'none' });
});

test('a permitted save: true changes nothing if a rule already saves', () => {
  const origins = { 'hints.save': 'user' } as const;
  expect(decide({}, { text: { user: 'I like it' }, hints: { save: true }, origins })).toEqual({
    saves: ['permanent to semantic'],
    decidedBy: 'permanent',
  });
});

test('a permitted scope selects the rule with this name, and a permitted category is passed on', () => {
  const origins = { 'hints.scope': 'user', 'hints.category': 'user' } as const;
  const question = { event: 'interaction_complete', text: { user: 'We met' }, origins } as const;
  const hints = { scope: 'permanent', category: 'people' };
  expect(compileSaves(DOCUMENT)({ ...question, hints }, stepBudgetOfAction())?.saves).toMatchObject([
    { store: 'semantic', scope: 'permanent', rule: 'permanent', category: 'people' },
  ]);
});

test('the rule ignore comes before the rule episodic', () => {
  const save_rules = { ...DOCUMENT.save_rules, ignore: { patterns: ['met'], action: 'skip' } };
  expect(decide({ save_rules }, {})).toEqual({ saves: [], decidedBy: 'ignore' });
});

test('a rule without patterns and condition never holds', () => {
  const save_rules = { permanent: { action: 'save_to_semantic' } };
  expect(decide({ save_rules }, {})).toEqual({ saves: [], decidedBy: 'none' });
});

test('conditions see lengths in characters', () => {
  const save_rules = {
    permanent: {
      condition: ({ messageLength, responseLength }: Lengths) => messageLength === 2 && responseLength === 1,
      action: 'save_to_semantic',
    },
  };
  expect(decide({ save_rules }, { text: { user: '𠮷𠮷', agent: '🔥' } }).decidedBy).toBe('permanent');
});

test('folding the text of the user and reading that of the agent cost their lengths', () => {
  const question = { event: 'interaction_complete', text: { user: 'ab', agent: 'abc' } } as const;
  const withoutRules = compileSaves({ user_isolation: true });
  expect(withoutRules(question, { left: 2 + 2 + 3 })).not.toBeNull();
  expect(withoutRules(question, { left: 2 + 2 + 2 })).toBeNull();
});

test.each([
  ['semantic', 'which is only for the rule permanent'],
  ['unknown', 'which has no trigger'],
])('a hinted store %s, %s, is not used', (store) => {
  const origins = { 'hints.store': 'user' } as const;
  expect(decide({}, { hints: { store }, origins }).saves).toEqual(['episodic to episodic']);
});
