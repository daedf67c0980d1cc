import { policyDocument } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { limitsInWords } from './limits-in-words.ts';

test('describes each limit of a policy in words, with its amount', () => {
  const policy = policyDocument.parse({
    ...{ version: 1, id: 'p', maxCostTotal: 5.25, maxCostPerCall: 0.1, expiresAt: '2027-01-01T00:00:00Z' },
    budgets: [{ id: 'team', scope: 'tenant', max: 20, windowMs: 3_600_000 }],
    rateLimit: { maxCalls: 10, windowMs: 60_000 },
  });
  expect(limitsInWords(policy)).toEqual([
    'at most $5.25 in all',
    'at most $0.1 a call',
    'budget team: at most $20 in 1 h (tenant)',
    'at most 10 calls in 1 min',
    'until 2027-01-01T00:00:00Z',
  ]);
});

test('returns no sentence for a policy without limits', () => {
  expect(limitsInWords(policyDocument.parse({ version: 1, id: 'p', allowedTools: ['read'] }))).toEqual([]);
});
