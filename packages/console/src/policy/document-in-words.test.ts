import type { ControlRecord } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { differencesInWords, termsOf } from './document-in-words.ts';

const CHANGE = { id: 'chg_1', tenant: 'default', by: 'ann', reason: '', at: '2026-11-30T12:00:00.000Z' };

function agentPut(fields: object): ControlRecord {
  return { event: 'agent.put', change: CHANGE, agent: { id: 'bot', groups: [], labels: {}, ...fields } };
}

function rulePut(fields: object): ControlRecord {
  const rule = { version: 1, id: 'r', priority: 0, policy: 'reads', mode: 'enforce' } as const;
  return { event: 'rule.put', change: CHANGE, rule: { ...rule, ...fields } };
}

test.each([
  [agentPut({}), agentPut({}), []],
  [
    agentPut({ groups: ['eu'], labels: { team: 'care' } }),
    agentPut({ groups: ['eu', 'trial'], labels: { team: 'success' }, parent: 'lead' }),
    ['Groups: eu → eu, trial', 'Labels: team=care → team=success', 'Parent: none → lead'],
  ],
  [
    rulePut({ agents: ['bot'] }),
    rulePut({ agents: ['bot'], policy: 'reads@2', mode: 'shadow' }),
    ['Gives: reads → reads@2', 'For: agents bot → agents bot, in shadow: never enforced'],
  ],
])('says what differs between two versions of a document: %#', (before, after, lines) => {
  expect(differencesInWords(termsOf(before), termsOf(after))).toEqual(lines);
});

test('says until when a key is valid, or that it has no end', () => {
  const key = { id: 'kQ2m', name: 'bot', tenant: 'default', scopes: ['publish'], agents: ['bot'] };
  const record = { event: 'key.issued', change: CHANGE, agentId: 'bot', key } as unknown as ControlRecord;
  expect(termsOf(record)).toEqual([
    ['Agent', 'bot'],
    ['May', 'publish'],
    ['For the agents', 'bot'],
    ['Valid until', 'it is revoked'],
  ]);
});
