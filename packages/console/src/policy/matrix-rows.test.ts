import { agentDocument, type PolicyDocument, policyDocument, ruleDocument } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { matrixRows } from './matrix-rows.ts';

const NOW_MS = Date.parse('2026-03-01T12:00:00Z');

function cellOf(policy: object, draft: object | null = null) {
  const published = policyOf(policy);
  const inForce = {
    agents: [agentDocument.parse({ id: 'a' })],
    rules: [ruleDocument.parse({ version: 1, id: 'r', policy: 'p' })],
    policies: [{ version: 1, policy: published, isArchived: false }],
  };
  const asked = { kind: 'matrix', agents: ['a'], tools: ['move'], inForce } as const;
  const [row] = matrixRows({ ...asked, draft: draft && policyOf(draft) }, NOW_MS);
  return row?.cells[0];
}

function policyOf(policy: object): PolicyDocument {
  return policyDocument.parse({ version: 1, id: 'p', allowedTools: ['move'], maxCostTotal: 1, ...policy });
}

const needsPath = { argumentValidation: { schema: { type: 'object', required: ['path'] } } };

test.each<[string, object, { verdict: string; dependsOn: string[]; reason?: string }]>([
  ['allows a tool of the policy', {}, { verdict: 'ALLOW', dependsOn: [], reason: 'Every check passed.' }],
  ['blocks other tools', { allowedTools: ['read'] }, { verdict: 'BLOCK', dependsOn: [] }],
  [
    'defers a tool that a person must confirm',
    { toolPolicies: { move: { requiresConfirmation: true } } },
    { verdict: 'DEFER', dependsOn: [], reason: 'A person must confirm this call.' },
  ],
  [
    'blocks a tool that costs more than the whole budget',
    { maxCostTotal: 0.1, toolPolicies: { move: { cost: 0.2 } } },
    { verdict: 'BLOCK', dependsOn: [] },
  ],
  [
    'blocks a rate of no call',
    { rateLimit: { maxCalls: 0, windowMs: 60_000 } },
    { verdict: 'BLOCK', dependsOn: [] },
  ],
  [
    'says that the answer depends on the arguments',
    { toolPolicies: { move: needsPath } },
    { verdict: 'ALLOW', dependsOn: ['the arguments'] },
  ],
  [
    'says what the answer is if the arguments are valid',
    { toolPolicies: { move: { ...needsPath, requiresConfirmation: true } } },
    { verdict: 'DEFER', dependsOn: ['the arguments'] },
  ],
  [
    'says that the answer depends on the role',
    { toolPolicies: { move: { roles: ['clerk'] } } },
    { verdict: 'ALLOW', dependsOn: ['the role of the person'] },
  ],
  [
    'blocks if no arguments can help',
    { allowedTools: ['read'], toolPolicies: { move: needsPath } },
    { verdict: 'BLOCK', dependsOn: [] },
  ],
  [
    'allows all if the mandate only observes',
    { allowedTools: ['read'], mode: 'observe' },
    { verdict: 'ALLOW', dependsOn: [] },
  ],
])('%s', (_, policy, cell) => {
  expect(cellOf(policy)).toMatchObject({ now: cell, draft: null });
});

test('shows the change if a draft removes the question to a person', () => {
  const asks = { toolPolicies: { move: { requiresConfirmation: true } } };
  const asksNobody = { toolPolicies: { move: { requiresConfirmation: false } } };
  expect(cellOf(asks, asksNobody)).toMatchObject({ now: { verdict: 'DEFER' }, draft: { verdict: 'ALLOW' } });
});
