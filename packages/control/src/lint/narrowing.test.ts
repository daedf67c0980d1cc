import type { PolicyDocument } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { narrowing, widening } from './widening.ts';

const policy = (fields: Partial<PolicyDocument>): PolicyDocument => ({ version: 1, id: 'p', ...fields });

test.each([
  [{ maxCostTotal: 10 }, { maxCostTotal: 5 }, ['maxCostTotal: 10 → 5']],
  [{}, { maxCostTotal: 5 }, ['maxCostTotal: no limit → 5']],
  [{ allowedTools: ['search', 'pay'] }, { allowedTools: ['search'] }, ['allowedTools: - pay']],
  [{}, { deniedTools: ['pay'] }, ['deniedTools: + pay']],
  [{ mode: 'observe' }, {}, ['it is enforced, and not only observed']],
  [{}, { requireEstimate: true }, ['requireEstimate: an estimate is required']],
  [
    { toolPolicies: { pay: {} } },
    { toolPolicies: { pay: { requiresConfirmation: true } } },
    ['toolPolicies.pay.requiresConfirmation: a person is asked'],
  ],
  [
    { toolPolicies: { pay: { roles: ['clerk', 'guest'] } } },
    { toolPolicies: { pay: { roles: ['clerk'] } } },
    ['toolPolicies.pay.roles: guest removed'],
  ],
  [{}, { rateLimit: { maxCalls: 3, windowMs: 1_000 } }, ['rateLimit: no limit → 3 in 1 s']],
  [
    { toolPolicies: { pay: { executionLeaseMs: 1_000 } } },
    { toolPolicies: { pay: { executionLeaseMs: 9_000 } } },
    ['toolPolicies.pay.executionLeaseMs: 1000 → 9000: a call without an outcome may be retried later'],
  ],
  [{ tools: ['a', 'b'] }, { tools: ['a'] }, ['tools: - b']],
  [
    {},
    { budgets: [{ id: 'day', scope: 'agent', max: 6, windowMs: 86_400_000 }] },
    ['budget day: no limit → 6'],
  ],
  [
    { governance: { roles: ['user', 'guest'] } as never },
    { governance: { roles: ['user'] } as never },
    ['governance.roles: no longer guest'],
  ],
  [{ allowedTools: ['search'] }, { allowedTools: ['search', 'pay'] }, []],
] satisfies [Partial<PolicyDocument>, Partial<PolicyDocument>, string[]][])(
  'says what is no longer allowed: %j to %j',
  (before, after, lines) => {
    expect(narrowing(policy(before), policy(after))).toEqual(lines);
  },
);

test('reports each difference as wider, as narrower, or as both', () => {
  const [before, after] = [
    policy({ allowedTools: ['a'], maxCostTotal: 5 }),
    policy({ allowedTools: ['b'], maxCostTotal: 9 }),
  ];
  expect(widening(before, after)).toEqual(['maxCostTotal: 5 → 9', 'allowedTools: + b']);
  expect(narrowing(before, after)).toEqual(['allowedTools: - a']);
});
