import { CAPS } from '@mandate/schemas/core';
import { expect, test } from 'vitest';
import { stepBudgetOfAction } from '../../step-budget.ts';
import { compileIntents } from './classify.ts';

const VERBS = ['make', 'create', 'generate', 'show', 'check', 'view', 'give', 'find', 'send', 'open'];
const NOUNS = [
  'invoice',
  'report',
  'ticket',
  'booking',
  'lesson',
  'player',
  'recipe',
  'garden',
  'camera',
  'engine',
];

/** 50 intents, each with two keywords and four patterns. */
function fiftyIntents() {
  const intents = Array.from({ length: 50 }, (_, at) => {
    const noun = `${NOUNS[at % 10]}${'abcde'.charAt(at / 10)}`;
    return {
      id: `intent-${at}`,
      triggers: {
        keywords: [noun, `my ${noun}`],
        patterns: [
          `(${VERBS.slice(0, 3).join('|')})\\s+(me\\s+)?(a\\s+)?${noun}s?`,
          `\\b(${VERBS.slice(3, 6).join('|')})\\b.*\\b${noun}\\b`,
          `${noun}s?\\s+(for|about)\\s+\\w+`,
          `how\\s+(is|are)\\s+(my\\s+)?${noun}`,
        ],
      },
      entities: [
        { name: 'topic', type: 'string' },
        { name: 'count', type: 'integer', min: 1, max: 20 },
      ],
    };
  });
  return [...intents, { id: 'other', triggers: { fallback: true } }];
}

const { classify } = compileIntents({ intents: fiftyIntents() });

function textOf(sentence: string): string {
  return sentence.repeat(Math.ceil(4_000 / sentence.length)).slice(0, 4_000);
}

// The patterns of three intents take 735 steps for each character. One search with each of them costs 30 % of the
// budget. The words `recipea about 3` match four times, and each match starts another search of the remaining text.
// These searches cost 8 % more.
test.each([
  ['words of no intent', 'Yesterday we walked along the river and talked about what comes next. ', 0.01],
  [
    'words of three intents',
    `${'It rained all day, so nobody came to see us. '.repeat(20)}Create the ticketb and a recipea about 3 camerac. `,
    0.4,
  ],
])('50 intents with 200 patterns on 4,000 characters: %s', (_, sentence, mostOfBudget) => {
  const stepBudget = stepBudgetOfAction();
  expect(classify(textOf(sentence), stepBudget)).not.toBeNull();
  expect(CAPS.stepsPerAction - stepBudget.left).toBeLessThan(CAPS.stepsPerAction * mostOfBudget);
});

test('a text that contains the words of all intents uses up the step budget', () => {
  const everything = fiftyIntents().flatMap(({ triggers }) =>
    'keywords' in triggers ? triggers.keywords : [],
  );
  const stepBudget = stepBudgetOfAction();
  expect(classify(textOf(`make ${everything.join(' about ')} `), stepBudget)).toBeNull();
  expect(stepBudget.left).toBeLessThan(0);
});

test('20,000 keywords cost no more than one pass over the text', () => {
  const keywords = Array.from({ length: 20_000 }, (_, at) => `keyword ${at}`);
  const many = compileIntents({
    intents: [
      { id: 'many', triggers: { keywords } },
      { id: 'other', triggers: { fallback: true } },
    ],
  });
  const stepBudget = stepBudgetOfAction();
  expect(many.classify(textOf('A keyword 19999 '), stepBudget)?.trigger).toBe('keyword 19999');
  expect(CAPS.stepsPerAction - stepBudget.left).toBeLessThan(50_000);
});
