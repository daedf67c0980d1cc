/** Sentences about checks, and the fields of the mandate that set their limits. */
import type { Check, Decision } from '@mandate/schemas';
import { buildDecision } from '@mandate/testing';
import { expect, test } from 'vitest';
import { boundOf } from './bound-of.ts';
import { checkInWords } from './check-in-words.ts';
import { whatWouldChange } from './what-would-change.ts';

const DECISION: Decision = buildDecision(1, {
  appendedAtMs: Date.UTC(2026, 0, 31),
  decidedAt: '2026-01-31T00:00:45.000Z',
  mandate: { id: 'team', hash: 'sha256:1', rules: [], policies: [] },
});

const MONEY = { costMicros: 100_000, maxMicros: 200_000, price: 'mandate' };
const RATE = { calls: 3, maxCalls: 10, windowMs: 3_600_000, retryAfterMs: null };
const BUDGET = {
  scope: 'agent',
  id: 'total',
  windowMs: null,
  spentMicros: 5,
  maxMicros: 6,
  retryAfterMs: null,
};

test.each<[Check['check'], Check['result'], Check['evidence'], string, string | null]>([
  ['duplicate', 'pass', undefined, 'Neither its id nor its idempotency key was known.', null],
  ['duplicate', 'block', undefined, 'It was decided before, by another decision.', null],
  ['deadline', 'block', undefined, 'It had waited 45 s when its turn came, and its deadline was over.', null],
  ['kill-switch', 'block', undefined, 'A kill switch stopped the agent.', null],
  ['mandate-alive', 'pass', { expiresAt: 'T' }, 'The mandate expires at T.', 'expiresAt'],
  [
    'mandate-alive',
    'block',
    { expiresAt: 'T', revokedAt: 'S' },
    'The mandate was revoked at S.',
    'expiresAt',
  ],
  ['tool-denied', 'pass', { tool: 't' }, 'No pattern of deniedTools matches "t".', 'deniedTools'],
  [
    'tool-known',
    'block',
    { tool: 't', declared: 2 },
    '"t" is none of the 2 tools that are declared.',
    'tools',
  ],
  [
    'tool-allowed',
    'pass',
    { tool: 't', pattern: '*' },
    'The pattern "*" of allowedTools matches "t".',
    'allowedTools',
  ],
  ['arguments-valid', 'pass', null, 'The arguments obey every rule.', 'toolPolicies.look.argumentValidation'],
  ['model-allowed', 'pass', { model: 'm' }, 'No pattern of deniedModels matches "m".', 'deniedModels'],
  [
    'model-allowed',
    'block',
    { model: 'm', pattern: '*' },
    'The pattern "*" of deniedModels matches "m".',
    'deniedModels',
  ],
  ['model-allowed', 'block', { model: 'm' }, 'No pattern of allowedModels matches "m".', 'allowedModels'],
  [
    'model-allowed',
    'pass',
    { model: 'm', pattern: '*' },
    'The pattern "*" of allowedModels matches "m".',
    'allowedModels',
  ],
  [
    'provider-allowed',
    'pass',
    { provider: 'azure' },
    'No pattern of deniedProviders matches "azure".',
    'deniedProviders',
  ],
  [
    'provider-allowed',
    'pass',
    { provider: 'azure', pattern: '*' },
    'The pattern "*" of allowedProviders matches "azure".',
    'allowedProviders',
  ],
  [
    'provider-allowed',
    'block',
    { provider: 'azure' },
    'No pattern of allowedProviders matches "azure".',
    'allowedProviders',
  ],
  [
    'provider-allowed',
    'block',
    { provider: 'azure', pattern: 'a*' },
    'The pattern "a*" of deniedProviders matches "azure".',
    'deniedProviders',
  ],
  [
    'provider-allowed',
    'block',
    { provider: null },
    'The call does not say its provider, and not every provider is allowed.',
    'allowedProviders',
  ],
  [
    'provider-allowed',
    'pass',
    { provider: null, pattern: '*' },
    'The call does not say its provider, and every provider is allowed.',
    'allowedProviders',
  ],
  [
    'model-priced',
    'pass',
    { model: 'm', price: 'genai-prices:openai/gpt-4o' },
    'The price of "m" is known (genai-prices:openai/gpt-4o).',
    null,
  ],
  [
    'model-priced',
    'block',
    { model: 'm', price: 'unknown', missing: ['inputTokens', 'maxOutputTokens'] },
    'The call does not say its inputTokens and maxOutputTokens, and a budget is in force.',
    null,
  ],
  [
    'tool-cost-per-call',
    'pass',
    MONEY,
    'The call costs $0.10 (mandate); at most $0.20 may be.',
    'toolPolicies.look.maxCostPerCall',
  ],
  [
    'mandate-cost-per-call',
    'pass',
    MONEY,
    'The call costs $0.10 (mandate); at most $0.20 may be.',
    'maxCostPerCall',
  ],
  ['tool-rate', 'pass', RATE, '3 of 10 calls in 1 h had been made.', 'toolPolicies.look.rateLimit'],
  ['mandate-rate', 'pass', RATE, '3 of 10 calls in 1 h had been made.', 'rateLimit'],
  [
    'budget',
    'pass',
    BUDGET,
    'Of the agent budget "total" of $0.000006, $0.000005 was spent.',
    'maxCostTotal',
  ],
  [
    'budget',
    'block',
    { ...BUDGET, scope: 'tenant', id: 'team', windowMs: 90_000, costMicros: 2 },
    'Of the tenant budget "team" of $0.000006 in 90 s, $0.000005 was spent, and the call costs $0.000002.',
    'budgets (tenant "team", windowMs 90000)',
  ],
  [
    'budget',
    'pass',
    { ...BUDGET, maxMicros: null },
    'Of the agent budget "total" with no limit, $0.000005 was spent.',
    null,
  ],
  [
    'confirmation',
    'defer',
    { grant: 'none', waiting: 1, maxWaiting: 2 },
    'A person has to approve it, and none had answered.',
    'toolPolicies.look.requiresConfirmation',
  ],
  [
    'confirmation',
    'block',
    { grant: 'none', waiting: 2, maxWaiting: 2 },
    'A person has to approve it, and 2 deferred actions of the agent wait for a person already; at most 2 may.',
    'maxWaiting',
  ],
  ['confirmation', 'skip', undefined, 'It was not asked: an earlier check had settled the verdict.', null],
  [
    'intent',
    'block',
    { of: 'another version' },
    'It did not pass; this version cannot read its evidence.',
    null,
  ],
])('describes a %s check with result %s and evidence %j', (check, result, evidence, words, field) => {
  const given: Check = { check, result, ...(evidence === undefined ? {} : { evidence }) };
  expect(checkInWords(given, DECISION)).toBe(words);
  const mandate = { id: 'team', hash: 'sha256:1' };
  expect(boundOf(given, DECISION)).toEqual(
    field === null ? null : { field, mandate, policy: null, rules: [] },
  );
});

test('adds what other policies say about the counter, and names the rules that gave the policy of the limit', () => {
  const other = (policy: string, result: string) => ({ policy, maxMicros: 5_000_000, result });
  const otherLimits = [other('a@1', 'pass'), other('b@2', 'block')];
  const budget: Check = {
    check: 'budget',
    result: 'block',
    evidence: { ...BUDGET, otherLimits },
    policy: 'p@1',
  };
  expect(checkInWords(budget, DECISION)).toBe(
    'Of the agent budget "total" of $0.000006, $0.000005 was spent. ' +
      '"a@1" allows $5.00, and would have let it pass. "b@2" allows $5.00, and would have blocked it too.',
  );
  const blocked = {
    ...DECISION,
    checks: [{ ...budget, evidence: { ...BUDGET, costMicros: 2, otherLimits } }],
  };
  expect(whatWouldChange(blocked).needs[0]?.anyOf[0]?.words).toBe(
    'at least $0.000007 in the agent budget "total", and the same under "b@2", or $0.000001 given back to it',
  );
  const rate = { ...RATE, otherLimits: [{ maxCalls: 12, result: 'pass' }] };
  expect(checkInWords({ check: 'mandate-rate', result: 'pass', evidence: rate }, DECISION)).toMatch(
    /made\. The mandate of the file allows 12 calls, and would have let it pass\.$/,
  );
  const grant = { grant: 'none', waiting: 0, maxWaiting: 50, otherLimits: [{ policy: 'a@1' }] };
  expect(checkInWords({ check: 'confirmation', result: 'defer', evidence: grant }, DECISION)).toMatch(
    / "a@1" asks for that too\.$/,
  );
  const given = [
    { policy: 'a@1', rules: ['q'] },
    { policy: 'p@1', rules: ['r', 's'] },
  ];
  const mandate = {
    id: 'rules',
    hash: 'h',
    rules: ['q', 'r', 's'],
    policies: ['a@1', 'p@1'],
    grantedBy: given,
  };
  expect(boundOf(budget, { ...DECISION, mandate })).toMatchObject({ policy: 'p@1', rules: ['r', 's'] });
});

test('names no field of a mandate if no mandate applied', () => {
  expect(
    boundOf({ check: 'budget', result: 'pass', evidence: BUDGET }, { ...DECISION, mandate: null }),
  ).toBeNull();
});

test('names the ancestor that has the limit, and the field in the ancestor’s policy', () => {
  const held = { result: 'pass' as const, policy: 'p@1 of lead', ancestor: 'lead' };
  const budget: Check = { check: 'budget', evidence: BUDGET, ...held };
  expect(checkInWords(budget, DECISION)).toMatch(/^Of the agent budget "total" of "lead" of /);
  expect(boundOf(budget, DECISION)).toMatchObject({ field: 'maxCostTotal', policy: 'p@1 of lead' });
  expect(checkInWords({ check: 'mandate-rate', evidence: RATE, ...held }, DECISION)).toBe(
    '3 of 10 calls of "lead" in 1 h had been made.',
  );
  const delegated: Check = {
    check: 'tool-allowed',
    evidence: { tool: 't', pattern: '*', delegated: true },
    ...held,
  };
  expect(checkInWords(delegated, DECISION)).toBe('The pattern "*" of delegableTools matches "t".');
  expect(boundOf(delegated, DECISION)).toMatchObject({ field: 'delegableTools' });
});
