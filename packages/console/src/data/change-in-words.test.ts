import type { ControlEventFound } from '@mandate/query';
import { expect, test } from 'vitest';
import { changeInWords } from './change-in-words.ts';

const NOTHING: Omit<ControlEventFound, 'log'> = {
  ...{ id: 'chg_1', event: 'agent.put', scope: null, agentId: null, by: 'ann', reason: '' },
  ...{ budgetScope: null, budgetSubject: null, budgetId: null, budgetWindowMs: null, deltaMicros: null },
  ...{ actionId: null, digest: null, answer: null, ledgerEpoch: null, subject: null, policyVersion: null },
  ...{ revision: null, refusal: null, role: null, keyName: null, open: [], openCount: null },
  happenedAt: '2026-11-30T12:00:00.000Z',
};

test.each([
  [
    { event: 'agent.killed', scope: 'agent', agentId: 'bot', openCount: 2 },
    'The agent bot was killed. 2 calls could still run.',
  ],
  [
    { event: 'agent.killed', scope: 'subtree', agentId: 'lead', openCount: 0 },
    'lead and its descendants were killed. No call was running.',
  ],
  [{ event: 'agent.killed', scope: 'all' }, 'Every agent of every tenant was killed.'],
  [{ event: 'agent.revived', scope: 'tenant' }, 'Every agent of the tenant was revived, and may act again.'],
  [
    {
      ...{ event: 'budget.adjusted', budgetScope: 'agent', budgetSubject: 'bot', budgetId: 'day' },
      ...{ budgetWindowMs: 86_400_000, deltaMicros: -150_000 },
    },
    '$0.15 was given back to the budget «day» of the agent bot, which counts 1 d.',
  ],
  [
    { event: 'budget.adjusted', budgetScope: 'tenant', budgetSubject: '', budgetId: 'total', deltaMicros: 1 },
    '$0.000001 was charged to the budget «total» of the tenant.',
  ],
  [
    { event: 'approval.recorded', agentId: 'bot', actionId: 'act_1', answer: 'denied' },
    'A person denied the action act_1 of bot.',
  ],
  [
    { event: 'role.granted', subject: 'kQ2m', keyName: 'ben', role: 'operator' },
    'ben got the key kQ2m with the role operator.',
  ],
  [
    { event: 'policy.published', subject: 'reads', policyVersion: 3 },
    'Version 3 of the policy reads was published.',
  ],
  [
    { event: 'rule.removed', subject: 'staff', refusal: 'NOT_FOUND' },
    'Refused, so nothing changed. Asked for: «The rule staff was removed.»',
  ],
] satisfies [Partial<ControlEventFound>, string][])('says %j in words', (fields, words) => {
  expect(changeInWords({ ...NOTHING, ...fields })).toBe(words);
});
