import { expect, test } from 'vitest';
import { controlOf, found, NOW_MS } from './lint.fixture.ts';
import { lintControl } from './lint-control.ts';

const P = { id: 'p' };
const HOUR_MS = 3_600_000;
const budget = (fields: object) => ({ id: 'b', scope: 'agent', max: 10, ...fields });

/**
 * Returns the contradictions that are found if the first policy applies to the agent, and the other policies to every
 * agent.
 */
function contradictions(own: object, ...others: object[]): string[] {
  const policies = [{ id: 'p', ...own }, ...others.map((fields, at) => ({ id: `q${at}`, ...fields }))];
  const rules = policies.map(({ id }) => ({
    id: `r-${id}`,
    policy: id,
    ...(id === 'p' && { agents: ['a'] }),
  }));
  return lintControl(controlOf({ policies, rules }), NOW_MS)
    .findings.filter(({ code }) => code !== 'TOOL_NAMES_UNCONFIRMED')
    .map(({ message }) => message);
}

test.each<[string, object, string]>([
  [
    'a day that is more than all there is',
    { maxCostTotal: 5, budgets: [budget({ windowMs: 24 * HOUR_MS })] },
    'In "p", the agent budget "b" of $10.00 in 1 d has no effect: maxCostTotal of $5.00 refuses calls earlier.',
  ],
  [
    'a budget that is all there is',
    { maxCostTotal: 10, budgets: [budget({})] },
    'In "p", the agent budget "b" of $10.00 has no effect: maxCostTotal of $10.00 refuses calls earlier.',
  ],
  [
    'a call that is more than its tenant has in an hour',
    { maxCostPerCall: 6, budgets: [budget({ scope: 'tenant', max: 5, windowMs: HOUR_MS })] },
    'In "p", maxCostPerCall of $6.00 has no effect: the tenant budget "b" of $5.00 in 1 h refuses calls earlier.',
  ],
  [
    'a call that is more than all there is',
    { maxCostTotal: 5, maxCostPerCall: 6 },
    'In "p", maxCostPerCall of $6.00 has no effect: maxCostTotal of $5.00 refuses calls earlier.',
  ],
  [
    'a call of a tool that is more than any call',
    { maxCostPerCall: 5, toolPolicies: { pay: { maxCostPerCall: 6 } } },
    'In "p", toolPolicies.pay.maxCostPerCall of $6.00 has no effect: maxCostPerCall of $5.00 refuses calls earlier.',
  ],
  [
    'a tool dearer than all there is',
    { maxCostTotal: 5, toolPolicies: { pay: { cost: 6 } } },
    '"p" lets no call of "pay" through: it costs $6.00, over maxCostTotal of $5.00.',
  ],
  [
    'calls whose tiers are dearer than one may be',
    { maxCostPerCall: 5, defaultChargingPolicy: { type: 'TIERED', attempt: 3, success: 3 } },
    '"p" lets no call of a tool that it says nothing of through: it costs $6.00, over maxCostPerCall of $5.00.',
  ],
])('finds limits of one policy that contradict each other: %s', (_, own, told) => {
  expect(contradictions(own)).toEqual([told]);
});

test.each<[string, object]>([
  // These limits do not contradict each other. A limit that was added later has not counted the earlier spending.
  ['what an agent has, and its tenant less', { budgets: [budget({}), budget({ scope: 'tenant', max: 9 })] }],
  ['two of an agent, of which the second may be new', { budgets: [budget({}), budget({ id: 'c', max: 8 })] }],
  ['what is counted of all there is', { maxCostTotal: 10, budgets: [budget({ max: 9 })] }],
  ['what a tenant has, and an agent in all', { maxCostTotal: 9, budgets: [budget({ scope: 'tenant' })] }],
  [
    'a tool that is called more often than all tools',
    {
      rateLimit: { maxCalls: 5, windowMs: HOUR_MS },
      toolPolicies: { pay: { rateLimit: { maxCalls: 6, windowMs: HOUR_MS } } },
    },
  ],
  [
    'an hour of a day',
    { budgets: [budget({ id: 'd', windowMs: 24 * HOUR_MS }), budget({ max: 1, windowMs: HOUR_MS })] },
  ],
  [
    'an hour that is more than a day before it',
    { budgets: [budget({ id: 'd', max: 11, windowMs: HOUR_MS }), budget({ windowMs: HOUR_MS - 1 })] },
  ],
  [
    'what somebody has, and their tenant more',
    { budgets: [budget({ scope: 'principal' }), budget({ scope: 'tenant', max: 11 })] },
  ],
  [
    'what an agent has, and those it acts for',
    { budgets: [budget({}), budget({ id: 'c', scope: 'principal', max: 9 })] },
  ],
  ['two of the same', { budgets: [budget({}), budget({ id: 'c' })] }],
  [
    'calls of a tool, and all calls',
    {
      rateLimit: { maxCalls: 6, windowMs: HOUR_MS },
      toolPolicies: { pay: { rateLimit: { maxCalls: 5, windowMs: HOUR_MS } } },
    },
  ],
  ['calls and money', { maxCostTotal: 1, rateLimit: { maxCalls: 5, windowMs: HOUR_MS } }],
  ['a tool as dear as may be', { maxCostTotal: 5, toolPolicies: { pay: { cost: 5 } } }],
  [
    'a dear tool that is denied',
    { maxCostTotal: 5, deniedTools: ['pay'], toolPolicies: { pay: { cost: 6 } } },
  ],
])('accepts limits of one policy: %s', (_, own) => {
  expect(contradictions(own)).toEqual([]);
});

const TOGETHER = ', because the rules "r-p" and "r-q0" apply together.';

test('compares limits of policies that always apply together', () => {
  expect(contradictions({ maxCostTotal: 100 }, { maxCostTotal: 10 })).toEqual([
    `In "p", maxCostTotal of $100.00 has no effect: maxCostTotal of $10.00 of "q0" refuses calls earlier${TOGETHER}`,
  ]);
  // A limit for all agents may be higher than the limit of one agent.
  expect(contradictions({ maxCostTotal: 10 }, { maxCostTotal: 100 })).toEqual([]);
  // The tenant's budget may be newer than the agent's budget. Then the agent's budget may refuse first, because it
  // contains more spending.
  expect(
    contradictions({ budgets: [budget({})] }, { budgets: [budget({ scope: 'tenant', max: 9 })] }),
  ).toEqual([]);
  expect(contradictions({ maxCostPerCall: 10 }, { budgets: [budget({ max: 9 })] })).toHaveLength(1);
  for (const policies of [
    [{ toolPolicies: { pay: { cost: 6 } } }, { maxCostTotal: 5 }],
    [{ maxCostTotal: 5 }, { toolPolicies: { pay: { cost: 6 } } }],
  ] as const)
    expect(contradictions(policies[0], policies[1])).toEqual([
      expect.stringMatching(/^"\w+" and "\w+" together let no call of "pay" through: .*, because the rules/),
    ]);
  expect(
    contradictions({ toolPolicies: { pay: { cost: 6 } } }, { maxCostTotal: 5, allowedTools: ['buy'] }),
  ).toEqual([]);
});

test('accepts a limit that may have counted spending before a stricter limit was added', () => {
  const rules = [{ id: 'r', policy: 'p' }];
  const a = budget({ id: 'a' });
  const policies = (more: object) => [
    { ...P, budgets: [a] },
    { ...P, budgets: [a, budget({ max: 8 })], ...more },
  ];
  expect(found({ policies: policies({}), rules })).toEqual([]);
  expect(found({ policies: policies({ maxCostTotal: 9 }), rules })).toEqual([
    { code: 'LIMIT_WITHOUT_EFFECT', rules: [], policies: ['p'] },
  ]);
});

test('ignores tools that one of the policies does not allow, or that the conditions of a rule exclude', () => {
  const dear = { tools: ['pay'], toolPolicies: { pay: { cost: 6 } } };
  const poor = { maxCostTotal: 5 };
  const notPay = { not: [{ field: 'action.tool', op: '==', value: 'pay' }] };
  const codes = (when?: object) =>
    found({
      policies: [
        { ...P, ...dear },
        { id: 'q', ...poor },
      ],
      rules: [
        { id: 'r', policy: 'p', ...(when && { when }) },
        { id: 's', policy: 'q' },
      ],
    }).map(({ code }) => code);
  expect(codes()).toEqual(['TOOL_NEVER_AFFORDED']);
  expect(codes(notPay)).toEqual([]);
  expect(codes({ field: 'action.tool', op: '!=', value: 'pay' })).toEqual([]);
  const tiered = { type: 'TIERED', attempt: 3, success: 3 };
  expect(contradictions({ maxCostPerCall: 5, defaultChargingPolicy: tiered, allowedTools: ['pay'] })).toEqual(
    [],
  );
});

test('finds limits above the tenant limits, and tools that have a price in the tenant limits', () => {
  const amiss = (own: object, tenantLimits: object) =>
    found({ policies: [{ ...P, ...own }], rules: [{ id: 'r', policy: 'p' }], tenantLimits });
  const ofBoth = { rules: [], policies: ['p', 'tenant t@1'] };
  expect(amiss({ maxCostTotal: 9 }, { maxCostTotal: 8 })).toEqual([
    { code: 'LIMIT_WITHOUT_EFFECT', ...ofBoth },
  ]);
  expect(
    amiss({ budgets: [budget({})] }, { budgets: [budget({ id: 'c', scope: 'tenant', max: 9 })] }),
  ).toEqual([]);
  expect(amiss({ maxCostTotal: 8 }, { maxCostTotal: 9 })).toEqual([]);
  expect(amiss({ maxCostTotal: 5 }, { tools: ['pay'], toolPolicies: { pay: { cost: 6 } } })).toMatchObject([
    { code: 'TOOL_NEVER_AFFORDED' },
  ]);
});

test('compares a rate of each person only with a rate of each person', () => {
  const rate = (maxCalls: number, scope?: 'principal') => ({
    rateLimit: { maxCalls, windowMs: HOUR_MS, ...(scope && { scope }) },
  });
  expect(contradictions(rate(5), rate(3, 'principal'))).toEqual([]);
  expect(contradictions(rate(5, 'principal'), rate(3))).toEqual([]);
  expect(contradictions(rate(5, 'principal'), rate(3, 'principal'))).toEqual([
    expect.stringContaining('rateLimit of 5 calls for each person in 1 h'),
  ]);
});

test('finds limits on tokens without effect, unless the policies assume other tokens for a call', () => {
  const rules = [
    { id: 'r', policy: 'p' },
    { id: 's', policy: 'q' },
  ];
  const minute = (maxTokens: number) => ({ id: 'minute', scope: 'tenant', maxTokens, windowMs: 60_000 });
  const codes = (one: object, other: object) =>
    found({
      policies: [
        { ...P, ...one },
        { id: 'q', ...other },
      ],
      rules,
    }).map(({ code }) => code);
  expect(codes({ maxTokensTotal: 900 }, { maxTokensTotal: 800 })).toEqual(['LIMIT_WITHOUT_EFFECT']);
  expect(codes({ tokensPerWindow: [minute(900)] }, { tokensPerWindow: [minute(800)] })).toEqual([
    'LIMIT_WITHOUT_EFFECT',
  ]);
  expect(codes({ maxTokensTotal: 900 }, { tokensPerWindow: [minute(800)] })).toEqual([]);
  const assuming = { maxTokensTotal: 900, defaultTokens: { inputTokens: 500 } };
  expect(codes(assuming, { maxTokensTotal: 800 })).toEqual([]);
});
