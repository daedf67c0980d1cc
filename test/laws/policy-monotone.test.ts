/** Tests that with the same history, a stricter mandate never allows what a more permissive mandate refuses. */
import { runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { deciderInABox, decisionOf } from '../decider-in-a-box.ts';
import { arbitraryAsk, arbitraryMandate, withoutIdleLimits } from './arbitrary-requests.ts';

// The timeout is long: each test runs many random cases, which takes about a second, and more on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const enforced = arbitraryMandate.map((fields) => ({ ...fields, mode: 'enforce' as const }));

/**
 * Decides all requests except the last under the mandate `before`, and the last request under the mandate `last`.
 * Returns the decision about the last request.
 */
async function decideLast(before: object, last: object, asks: readonly object[]) {
  const box = deciderInABox([before]);
  for (const ask of asks.slice(0, -1)) await box.answer([box.append(ask)]);
  box.enforce([last]);
  const [answer] = await box.answer([box.append(asks.at(-1))]);
  return decisionOf(answer).verdict;
}

type Fields = typeof enforced extends fc.Arbitrary<infer F> ? F : never;

const STRICTER: Readonly<Record<string, (fields: Fields) => object>> = {
  'one more denied pattern': (fields) => ({
    ...fields,
    deniedTools: [...(fields.deniedTools ?? []), 'get_*'],
  }),
  'one more denied model': (fields) => ({
    ...fields,
    deniedModels: [...(fields.deniedModels ?? []), 'gpt-*'],
  }),
  'fewer allowed tools': (fields) =>
    withoutIdleLimits({ ...fields, allowedTools: (fields.allowedTools ?? ['*']).slice(1) }),
  'a higher price of a model': (fields) => ({
    ...fields,
    modelPrices: { ...fields.modelPrices, 'gpt-4o': { inputPerMillion: 9_007_199_254, outputPerMillion: 0 } },
  }),
  'one more denied provider': (fields) => ({
    ...fields,
    deniedProviders: [...(fields.deniedProviders ?? []), 'openai'],
  }),
  'a smaller total': (fields) => ({ ...fields, maxCostTotal: Math.min(fields.maxCostTotal ?? 1, 0.1) }),
  'a smaller cost per call': (fields) => ({
    ...fields,
    maxCostPerCall: Math.min(fields.maxCostPerCall ?? 1, 0.1),
  }),
  'fewer tokens in all': (fields) => ({
    ...fields,
    maxTokensTotal: Math.min(fields.maxTokensTotal ?? 500, 500),
  }),
  'fewer tokens in each window': (fields) => ({
    ...fields,
    tokensPerWindow: (fields.tokensPerWindow ?? []).map((window) => ({
      ...window,
      maxTokens: Math.min(window.maxTokens, 100),
    })),
  }),
  'one more limit on tokens': (fields) => ({
    ...fields,
    tokensPerWindow: [
      ...(fields.tokensPerWindow ?? []),
      { id: 'n', scope: 'agent', maxTokens: 1_200, windowMs: 3_000 },
    ],
  }),
  'fewer tool calls in all': (fields) => ({
    ...fields,
    maxToolCallsTotal: Math.min(fields.maxToolCallsTotal ?? 1, 1),
  }),
  'fewer tool calls in each window': (fields) => ({
    ...fields,
    toolCallsPerWindow: (fields.toolCallsPerWindow ?? []).map((window) => ({
      ...window,
      maxToolCalls: Math.min(window.maxToolCalls, 1),
    })),
  }),
  'one more limit on tool calls': (fields) => ({
    ...fields,
    toolCallsPerWindow: [
      ...(fields.toolCallsPerWindow ?? []),
      { id: 'n', scope: 'agent', maxToolCalls: 2, windowMs: 3_000 },
    ],
  }),
  'smaller budgets': (fields) => ({
    ...fields,
    budgets: (fields.budgets ?? []).map((budget) => ({ ...budget, max: Math.min(budget.max, 0.1) })),
  }),
  'one more budget': (fields) => ({
    ...fields,
    budgets: [...(fields.budgets ?? []), { id: 'n', scope: 'agent', max: 0.3 }],
  }),
  'fewer calls': (fields) => ({
    ...fields,
    rateLimit: { maxCalls: 0, windowMs: fields.rateLimit?.windowMs ?? 10 },
  }),
  'fewer roles for every tool': (fields) => withRoles(fields, (roles = ['user', 'admin']) => roles.slice(1)),
  'tools for nobody': (fields) => withRoles(fields, () => []),
  'fewer that may wait': (fields) => ({ ...fields, maxWaiting: 0 }),
  'a smaller registry': (fields) => withoutIdleLimits({ ...fields, tools: (fields.tools ?? []).slice(1) }),
  'an earlier end': (fields) => ({ ...fields, expiresAt: '2025-01-01T00:00:00Z' }),
};

function withRoles(
  fields: Fields,
  rolesFrom: (roles: readonly string[] | undefined) => readonly string[],
): object {
  const { toolPolicies = {} } = fields;
  const changed = Object.entries(toolPolicies).map(([tool, policy]) => [
    tool,
    { ...policy, roles: rolesFrom(policy.roles) },
  ]);
  return { ...fields, toolPolicies: Object.fromEntries(changed) };
}

test.each(Object.keys(STRICTER))('%s', async (name) => {
  const stricter = STRICTER[name] ?? (() => ({}));
  await fc.assert(
    fc.asyncProperty(
      enforced,
      fc.array(arbitraryAsk, { minLength: 1, maxLength: 6 }),
      async (fields, asks) => {
        const lax = await decideLast(fields, fields, asks);
        const strict = await decideLast(fields, stricter(fields), asks);
        if (lax !== 'ALLOW') expect(strict).not.toBe('ALLOW');
      },
    ),
    { numRuns: 15 },
  );
});

test('a denied name is denied, whatever else allows the name', async () => {
  await fc.assert(
    fc.asyncProperty(enforced, arbitraryAsk, async (fields, ask) => {
      fc.pre(ask.action.type === 'tool_call');
      const box = deciderInABox([{ ...fields, allowedTools: ['*'], deniedTools: ['*'] }]);
      const [answer] = await box.answer([box.append(ask)]);
      expect(decisionOf(answer).verdict).not.toBe('ALLOW');
    }),
    { numRuns: runs(60) },
  );
});
