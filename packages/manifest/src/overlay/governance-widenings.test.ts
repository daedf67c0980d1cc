import { type GovernanceDocument, governanceDocument } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { governanceWidenings } from './governance-widenings.ts';

const BASE = governanceDocument.parse({
  roles: ['user'],
  intents: [{ id: 'chat', triggers: { fallback: true } }],
  tools: { quiz: { intents: ['chat'] }, note: {} },
  memory_policies: { read: { intent_mapping: { chat: ['episodic'] }, max_results: { episodic: 5 } } },
  guardrails: { input: { max_length: 100, blocked_patterns: ['jailbreak'] }, agent: { max_iterations: 3 } },
  specialist: { handles_intents: ['chat'], memory_access: { read: ['episodic'], write: [] } },
  categories: { notes: { policies: { defaultTtl: 7 } } },
});

const changed = (change: (draft: GovernanceDocument) => void): GovernanceDocument => {
  const draft = structuredClone(BASE);
  change(draft);
  return draft;
};

function widerLines(...documents: Parameters<typeof governanceWidenings>): readonly string[] {
  return governanceWidenings(...documents).map(({ wider }) => wider);
}

test('nothing is wider than itself', () => {
  expect(governanceWidenings(BASE, structuredClone(BASE))).toEqual([]);
  expect(governanceWidenings(undefined, undefined)).toEqual([]);
});

test.each<[string, (draft: GovernanceDocument) => void]>([
  ['governance.roles: guest', ({ roles }) => roles?.push('guest')],
  ['governance.tools.quiz.intents: other', ({ tools }) => tools?.quiz?.intents?.push('other')],
  ['governance.tools.quiz.intents: the list is gone', ({ tools }) => delete tools?.quiz],
  [
    'governance.intents: prompts may have another intent',
    ({ intents }) => intents?.[0]?.triggers.keywords.push('a'),
  ],
  [
    'governance.memory_policies.read.max_results.episodic: 6 instead of 5',
    (draft) => {
      draft.memory_policies = {
        read: { ...draft.memory_policies?.read, max_results: { episodic: 6 } } as never,
      };
    },
  ],
  [
    'governance.guardrails.agent.max_iterations: the limit 3 is gone',
    ({ guardrails }) => delete guardrails?.agent,
  ],
  ['governance.specialist: what limited the specialist is gone', (draft) => delete draft.specialist],
  [
    'governance.specialist.memory_access.write: episodic',
    ({ specialist }) => specialist?.memory_access.write.push('episodic'),
  ],
  [
    'governance.categories.notes.policies.defaultTtl: 8 instead of 7',
    ({ categories }) => {
      if (categories?.notes?.policies) categories.notes.policies.defaultTtl = 8;
    },
  ],
  ['governance.categories: the section is gone, and with it its limits', (draft) => delete draft.categories],
  [
    'governance.categories.more: a new store',
    ({ categories }) => Object.assign(categories ?? {}, { more: {} }),
  ],
])('reports %s', (line, change) => {
  expect(widerLines(BASE, changed(change))).toEqual([line]);
});

test('a removed section is wider, and an added section gives access to memory', () => {
  expect(widerLines(BASE, undefined)).toEqual(['governance: the section is gone']);
  expect(widerLines(undefined, BASE)).toEqual([
    'governance.memory_policies.read: memory may be read',
    'governance.categories: memories may be changed',
  ]);
});

test.each<(draft: GovernanceDocument) => void>([
  ({ roles }) => roles?.pop(),
  ({ tools }) => tools?.quiz?.intents?.pop(),
  ({ specialist }) => specialist?.handles_intents.pop(),
  ({ categories }) => delete categories?.notes,
])('a narrower section is not reported', (change) => {
  expect(governanceWidenings(BASE, changed(change))).toEqual([]);
});

test.each<[string, (draft: GovernanceDocument) => void]>([
  ['governance.roles: no longer guest', ({ roles }) => roles?.push('guest')],
  ['governance.tools.quiz.intents: the list is new', ({ tools }) => delete tools?.quiz],
  [
    'governance.guardrails.agent.max_iterations: the limit 3 is new',
    ({ guardrails }) => delete guardrails?.agent,
  ],
  ['governance.specialist: the specialist is limited', (draft) => delete draft.specialist],
  [
    'governance.categories.notes.policies.defaultTtl: 7 instead of 8',
    ({ categories }) => {
      if (categories?.notes?.policies) categories.notes.policies.defaultTtl = 8;
    },
  ],
  [
    'governance.categories.more: the store is gone',
    ({ categories }) => Object.assign(categories ?? {}, { more: {} }),
  ],
])('reports the opposite change: %s', (line, change) => {
  expect(governanceWidenings(BASE, changed(change)).map(({ narrower }) => narrower)).toEqual([line]);
});
