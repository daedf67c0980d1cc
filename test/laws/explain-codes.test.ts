/** Tests for each code what an explanation says must change: in words, and for programs. */
import { actionDigest } from '@mandate/policy';
import { whatWouldChange } from '@mandate/query';
import { actionRequested, CODES, type Decision } from '@mandate/schemas';
import { buildDecision } from '@mandate/testing';
import { expect, test } from 'vitest';
import { asking, type Box, deciderInABox, decisionOf, START_MS } from '../decider-in-a-box.ts';
import { GOVERNED_CASES } from './governed-code-cases.ts';
import { registered } from './registered.ts';

type Asked = { id: string; [field: string]: unknown };

async function ask(box: Box, asked: Asked, agoMs = 0): Promise<Decision> {
  const [answer] = await box.answer([box.append(asking(asked), undefined, box.clock() - agoMs)]);
  return decisionOf(answer);
}

async function answered(box: Box, asked: Asked, answer: 'granted' | 'denied', forMs: number) {
  const { action } = actionRequested.parse(asking(asked));
  await box.ledger.approve({
    id: 'approval',
    by: 'op',
    reason: 'because',
    tenant: 'default',
    agentId: action.agentId,
    actionId: action.id,
    digest: actionDigest(action),
    answer,
    expiresAtMs: box.clock() + forMs,
  });
}

const LLM = { id: 'a', type: 'llm_call' };
const CONFIRMED = { toolPolicies: { get_user: { requiresConfirmation: true } } };
const at = (afterMs: number) => new Date(START_MS + afterMs).toISOString();

type Case = {
  mandate: object;
  asked?: Asked;
  agoMs?: number;
  before?(box: Box, asked: Asked): Promise<unknown>;
  /** For each check, the ways to pass it, in words. */
  needs: Record<string, string[]>;
  as: ReturnType<typeof whatWouldChange>['askAgainAs'];
};

/** The cases by code. A code with several causes has one case for each cause. */
const CASES: readonly [string, Case][] = [
  [
    'DUPLICATE_ACTION',
    {
      mandate: {},
      before: ask,
      needs: {
        duplicate: ['an id of its own for the action, and an idempotency key of its own where it has one'],
      },
      as: 'new-id',
    },
  ],
  [
    'DEADLINE_EXCEEDED',
    {
      mandate: {},
      agoMs: 45_000,
      needs: {
        deadline: ['a deadline of at least 45 s (deadlineMs of the request)', 'the same action as attempt 2'],
      },
      as: 'next-attempt',
    },
  ],
  [
    'AGENT_KILLED',
    {
      mandate: {},
      before: (box) => box.ledger.kill({ scope: 'all' }, { id: 'k', by: 'op', reason: 'because' }),
      needs: { 'kill-switch': ['a revive by an operator, and a new id for the action'] },
      as: 'new-id',
    },
  ],
  [
    'TENANT_CLOSED',
    {
      mandate: {},
      before: async (box) => {
        const control = registered({
          agents: [{ id: 'agent-1' }],
          policies: [],
          rules: [],
          closedAt: at(-1),
        });
        box.context = { ...box.context, control: () => control };
      },
      needs: {
        'tenant-open': [
          'the tenant "default" opened again by the operator of the plane, and a new id for the action',
        ],
      },
      as: 'new-id',
    },
  ],
  [
    'GRANT_REQUIRED',
    {
      mandate: {},
      before: async (box) => {
        const control = registered({
          agents: [{ id: 'agent-1', requiresGrant: true }],
          policies: [],
          rules: [],
        });
        box.context = { ...box.context, control: () => control };
      },
      needs: {
        'mandate-found': ['a grant for "agent-1", with its id as mandateId of the action'],
      },
      as: 'new-id',
    },
  ],
  [
    'MANDATE_NOT_FOUND',
    {
      mandate: { agents: ['other'] },
      asked: { id: 'a', mandateId: 'm' },
      needs: {
        'mandate-found': [
          'a mandate whose agents name "agent-1", and that is the one the request names ("m")',
        ],
      },
      as: 'new-id',
    },
  ],
  [
    'MANDATE_EXPIRED',
    {
      mandate: { expiresAt: '2025-01-01T00:00:00Z' },
      needs: { 'mandate-alive': [`a mandate that expires after ${at(0)}`] },
      as: 'new-id',
    },
  ],
  [
    'TOOL_DENIED',
    {
      mandate: { deniedTools: ['get_*'] },
      needs: {
        'tool-denied': [
          'no pattern of deniedTools that matches the tool "get_user" (the first is "get_*"), or another tool',
        ],
      },
      as: 'new-id',
    },
  ],
  [
    'UNKNOWN_TOOL',
    {
      mandate: { tools: ['send'] },
      needs: { 'tool-known': ['"get_user" among the declared tools'] },
      as: 'new-id',
    },
  ],
  [
    'TOOL_NOT_ALLOWED',
    {
      mandate: { allowedTools: ['send'] },
      needs: { 'tool-allowed': ['the tool "get_user" on the list allowedTools, or another tool'] },
      as: 'new-id',
    },
  ],
  [
    'ARGUMENT_VALIDATION_FAILED',
    {
      mandate: {
        toolPolicies: {
          get_user: {
            argumentValidation: { schema: { type: 'object', properties: { n: { type: 'integer' } } } },
          },
        },
      },
      asked: { id: 'a', args: { n: 'x' } },
      needs: {
        'arguments-valid': [
          'arguments that obey the rule "schema" at /n (expected a whole number); only the first fault is shown',
        ],
      },
      as: 'new-id',
    },
  ],
  [
    'RULES_TOO_COSTLY',
    {
      mandate: {
        toolPolicies: {
          get_user: {
            argumentValidation: {
              schema: { type: 'object', properties: { n: { type: 'string', pattern: 'a{900}$' } } },
            },
          },
        },
      },
      asked: { id: 'a', args: { n: 'a'.repeat(20_000) } },
      needs: {
        'within-steps': ['shorter texts, or rules and policies that take at most 10000000 steps to ask'],
      },
      as: 'new-id',
    },
  ],
  [
    'MODEL_NOT_ALLOWED',
    {
      mandate: { allowedModels: ['claude-*'] },
      asked: LLM,
      needs: { 'model-allowed': ['the model "gpt-4o" on the list allowedModels, or another model'] },
      as: 'new-id',
    },
  ],
  [
    'MODEL_NOT_ALLOWED',
    {
      mandate: { deniedModels: ['gpt-*'] },
      asked: LLM,
      needs: {
        'model-allowed': [
          'no pattern of deniedModels that matches the model "gpt-4o" (the first is "gpt-*"), and one of allowedModels that does, where there are any',
        ],
      },
      as: 'new-id',
    },
  ],
  [
    'UNPRICED_MODEL',
    {
      mandate: { maxCostTotal: 1 },
      asked: { ...LLM, model: 'homegrown' },
      needs: {
        'model-priced': [
          'a price for "homegrown" in modelPrices, or the name that its provider gives to the model',
        ],
      },
      as: 'new-id',
    },
  ],
  [
    'ESTIMATE_REQUIRED',
    {
      mandate: { requireEstimate: true },
      asked: { id: 'a', estimatedCostMicros: 0 },
      needs: {
        'estimate-stated': ['estimatedCostMicros above 0 on the request, or a cost of toolPolicies.get_user'],
      },
      as: 'new-id',
    },
  ],
  [
    'TOKENS_NOT_STATED',
    {
      mandate: { maxCostTotal: 1 },
      asked: { ...LLM, maxOutputTokens: undefined },
      needs: { 'model-priced': ['maxOutputTokens on the request, or in defaultTokens'] },
      as: 'new-id',
    },
  ],
  [
    'PROVIDER_NOT_ALLOWED',
    {
      mandate: { allowedProviders: ['azure'] },
      asked: LLM,
      needs: {
        'provider-allowed': ['the provider "openai" on the list allowedProviders, or another provider'],
      },
      as: 'new-id',
    },
  ],
  [
    'PROVIDER_NOT_ALLOWED',
    {
      mandate: { deniedProviders: ['open*'] },
      asked: LLM,
      needs: {
        'provider-allowed': [
          'no pattern of deniedProviders that matches the provider "openai" (the first is "open*"), and one of allowedProviders that does, where there are any',
        ],
      },
      as: 'new-id',
    },
  ],
  [
    'PROVIDER_NOT_ALLOWED',
    {
      mandate: { deniedProviders: ['azure'] },
      asked: { ...LLM, provider: undefined },
      needs: { 'provider-allowed': ['the provider on the request, and one that is allowed'] },
      as: 'new-id',
    },
  ],
  [
    'COST_LIMIT_EXCEEDED',
    {
      mandate: { maxCostPerCall: 0.5, toolPolicies: { get_user: { maxCostPerCall: 0.2 } } },
      asked: { id: 'a', estimatedCostMicros: 600_000 },
      needs: {
        'tool-cost-per-call': [
          'a toolPolicies.get_user.maxCostPerCall of at least $0.60',
          'a call that costs at most $0.20',
        ],
        'mandate-cost-per-call': ['a maxCostPerCall of at least $0.60', 'a call that costs at most $0.50'],
      },
      as: 'new-id',
    },
  ],
  [
    'COST_LIMIT_EXCEEDED',
    {
      mandate: { maxCostTotal: 10 },
      asked: { id: 'a', estimatedCostMicros: 100_000 },
      before: (box) => ask(box, { id: 'b', estimatedCostMicros: 9_990_000 }),
      needs: {
        budget: [
          'at least $10.09 in the agent budget "total", or $0.09 given back to it',
          'a call that costs at most $0.01',
        ],
      },
      as: 'new-id',
    },
  ],
  [
    'COST_LIMIT_EXCEEDED',
    {
      mandate: { budgets: [{ id: 'hourly', scope: 'tenant', max: 1, windowMs: 3_600_000 }] },
      asked: { id: 'a', estimatedCostMicros: 600_000 },
      before: (box) => ask(box, { id: 'b', estimatedCostMicros: 600_000 }),
      needs: {
        budget: [
          'at least $1.20 in the tenant budget "hourly" of 1 h, or $0.20 given back to it',
          'a call that costs at most $0.40',
          expect.stringMatching(/^not before 2026-03-01T13:00:0\d\.\d{3}Z, if nothing else is charged/),
        ],
      },
      as: 'next-attempt',
    },
  ],
  [
    'COST_LIMIT_EXCEEDED',
    {
      mandate: { budgets: [{ id: 'hourly', scope: 'tenant', max: 1, windowMs: 3_600_000 }] },
      asked: { id: 'a', estimatedCostMicros: 1_200_000 },
      needs: {
        budget: ['at least $1.20 in the tenant budget "hourly" of 1 h', 'a call that costs at most $1.00'],
      },
      as: 'new-id',
    },
  ],
  [
    'TOKENS_NOT_STATED',
    {
      mandate: { maxTokensTotal: 1_000 },
      asked: { ...LLM, inputTokens: undefined },
      needs: { 'tokens-stated': ['inputTokens on the request, or in defaultTokens'] },
      as: 'new-id',
    },
  ],
  [
    'TOKEN_LIMIT_EXCEEDED',
    {
      mandate: { maxTokensTotal: 2_000 },
      asked: { ...LLM, inputTokens: 900, maxOutputTokens: 600 },
      before: (box) => ask(box, { ...LLM, id: 'b', inputTokens: 500, maxOutputTokens: 500 }),
      needs: {
        tokens: [
          'at least 2500 tokens in the agent limit "total", or 500 tokens given back to it',
          'a call of at most 1000 tokens',
        ],
      },
      as: 'new-id',
    },
  ],
  [
    'TOKEN_LIMIT_EXCEEDED',
    {
      mandate: {
        tokensPerWindow: [{ id: 'hourly', scope: 'tenant', maxTokens: 1_000, windowMs: 3_600_000 }],
      },
      asked: { ...LLM, inputTokens: 600, maxOutputTokens: 0 },
      before: (box) => ask(box, { ...LLM, id: 'b', inputTokens: 600, maxOutputTokens: 0 }),
      needs: {
        tokens: [
          'at least 1200 tokens in the tenant limit "hourly" of 1 h, or 200 tokens given back to it',
          'a call of at most 400 tokens',
          expect.stringMatching(/^not before 2026-03-01T13:00:0\d\.\d{3}Z, if nothing else is charged/),
        ],
      },
      as: 'next-attempt',
    },
  ],
  [
    'TOOL_CALL_LIMIT_EXCEEDED',
    {
      mandate: { maxToolCallsTotal: 1 },
      asked: LLM,
      before: (box) => ask(box, { ...LLM, id: 'b' }),
      needs: {
        'tool-calls': ['at least 2 tool calls in the agent limit "total", or 1 tool calls given back to it'],
      },
      as: 'new-id',
    },
  ],
  [
    'TOOL_CALL_LIMIT_EXCEEDED',
    {
      mandate: {
        toolCallsPerWindow: [{ id: 'hourly', scope: 'tenant', maxToolCalls: 1, windowMs: 3_600_000 }],
      },
      asked: LLM,
      before: (box) => ask(box, { ...LLM, id: 'b' }),
      needs: {
        'tool-calls': [
          'at least 2 tool calls in the tenant limit "hourly" of 1 h, or 1 tool calls given back to it',
          expect.stringMatching(/^not before 2026-03-01T13:00:0\d\.\d{3}Z, if nothing else is charged/),
        ],
      },
      as: 'next-attempt',
    },
  ],
  [
    'RATE_LIMIT_EXCEEDED',
    {
      mandate: { rateLimit: { maxCalls: 1, windowMs: 60_000 } },
      before: async (box) => {
        await ask(box, { id: 'b' });
        box.clock.advance(1_000);
      },
      needs: {
        'mandate-rate': [
          'a rate of at least 2 calls in 1 min',
          `not before ${at(60_000)}, if nothing else is charged until then`,
        ],
      },
      as: 'next-attempt',
    },
  ],
  [
    'RATE_LIMIT_EXCEEDED',
    {
      mandate: {
        toolPolicies: { get_user: { rateLimit: { scope: 'principal', maxCalls: 1, windowMs: 60_000 } } },
      },
      asked: { id: 'a', principal: { id: 'u1' } },
      before: async (box) => {
        await ask(box, { id: 'b', principal: { id: 'u1' } });
        box.clock.advance(1_000);
      },
      needs: {
        'tool-rate': [
          'a rate for each person of at least 2 calls in 1 min',
          `not before ${at(60_000)}, if nothing else is charged until then`,
        ],
      },
      as: 'next-attempt',
    },
  ],
  [
    'RATE_LIMIT_EXCEEDED',
    {
      mandate: { maxOpen: 1 },
      before: async (box) => {
        await ask(box, { id: 'b' });
        box.clock.advance(1_000);
      },
      needs: {
        'open-calls': [
          'a maxOpen of at least 2, or an outcome of a call that has ended',
          `not before ${at(300_000)}, if nothing else is charged until then`,
        ],
      },
      as: 'next-attempt',
    },
  ],
  [
    'APPROVAL_REQUIRED',
    {
      mandate: CONFIRMED,
      needs: { confirmation: ["a person's approval, and then the same request again"] },
      as: 'the-same-request',
    },
  ],
  [
    'APPROVAL_REQUIRED',
    {
      mandate: CONFIRMED,
      before: ask,
      needs: { duplicate: ["a person's approval, and then the same request again"] },
      as: 'the-same-request',
    },
  ],
  [
    'REPLAY_MEMORY_FULL',
    {
      mandate: {},
      before: async (box) => {
        box.context.maxRemembered = () => 1;
        await ask(box, { id: 'b' });
      },
      needs: {
        'replay-memory': [
          'room for another id of the tenant (`rememberedIds`, or as ids are forgotten), and the same action as attempt 2',
        ],
      },
      as: 'next-attempt',
    },
  ],
  [
    'WAITING_LIMIT_EXCEEDED',
    {
      mandate: { ...CONFIRMED, maxWaiting: 1 },
      before: async (box) => {
        await ask(box, { id: 'b' });
      },
      needs: {
        confirmation: [
          "a person's answer to an action of the agent that waits, and then the same action as attempt 2",
        ],
      },
      as: 'next-attempt',
    },
  ],
  [
    'APPROVAL_DENIED',
    {
      mandate: CONFIRMED,
      before: async (box, asked) => {
        await ask(box, asked);
        await answered(box, asked, 'denied', 10_000);
      },
      needs: {
        confirmation: [
          "a new id for the action, and a person's approval of the new action: this refusal is final",
        ],
      },
      as: 'new-id',
    },
  ],
  [
    'APPROVAL_EXPIRED',
    {
      mandate: CONFIRMED,
      before: async (box, asked) => {
        await ask(box, asked);
        await answered(box, asked, 'granted', 5);
        box.clock.advance(10);
      },
      needs: { confirmation: ["the same action as attempt 2, and a person's approval of that attempt"] },
      as: 'next-attempt',
    },
  ],
];

const ALL_CASES = [...CASES, ...GOVERNED_CASES];

test.each<readonly [string, Case]>(ALL_CASES)(
  '%s',
  async (code, { mandate, asked = { id: 'a' }, agoMs, before, needs, as }) => {
    const box = deciderInABox([mandate]);
    await before?.(box, asked);
    const decision = await ask(box, asked, agoMs);
    expect(decision.code).toBe(code);
    const change = whatWouldChange(decision);
    const said = change.needs.map(({ check, anyOf }) => [check, anyOf.map(({ words }) => words)]);
    expect(said).toEqual(Object.entries(needs));
    expect(change.askAgainAs).toBe(as);
  },
);

test('INTERNAL_ERROR', () => {
  const failed = buildDecision(1, { appendedAtMs: START_MS, verdict: 'BLOCK', code: 'INTERNAL_ERROR' });
  expect(whatWouldChange(failed)).toMatchObject({
    needs: [{ check: 'internal', anyOf: [{ way: 'next-attempt' }] }],
    askAgainAs: 'next-attempt',
  });
});

test('has a case for every code', () => {
  const told = new Set([...ALL_CASES.map(([code]) => code), 'INTERNAL_ERROR', 'ALLOWED']);
  expect([...told].toSorted()).toEqual([...CODES].toSorted());
});

test('an allowed action needs no change, and its explanation lists the checks that it barely passed', async () => {
  const box = deciderInABox([
    {
      maxCostTotal: 1,
      maxCostPerCall: 0.95,
      rateLimit: { maxCalls: 1, windowMs: 60_000 },
      expiresAt: '2026-03-01T14:00:00Z',
    },
  ]);
  const allowed = await ask(box, { id: 'a', estimatedCostMicros: 900_000 });
  const { needs, near, unasked, askAgainAs } = whatWouldChange(allowed);
  expect({ needs, unasked, askAgainAs }).toEqual({ needs: [], unasked: [], askAgainAs: null });
  expect(Object.fromEntries(near.map(({ check, words }) => [check, words]))).toEqual({
    'mandate-alive': '2026-03-01T14:00:00.000Z or later, when the mandate has expired',
    'mandate-cost-per-call': 'a call that costs more than $0.95',
    budget: 'a call that costs more than $1.00: all that the agent budget "total" had left',
    'mandate-rate': '1 more call in the 1 min before it',
  });
  const spacious = deciderInABox([{ maxCostTotal: 1, rateLimit: { maxCalls: 5, windowMs: 60_000 } }]);
  const easy = await ask(spacious, { id: 'a', estimatedCostMicros: 100_000 });
  expect(whatWouldChange(easy).near).toEqual([]);
});

test('the explanation of the last call of a turn says so', async () => {
  const box = deciderInABox([{ governance: { guardrails: { agent: { max_tool_calls_per_turn: 1 } } } }]);
  await ask(box, { id: 'p', type: 'prompt', text: 'hi' });
  const last = await ask(box, { id: 'a', turnId: 'p' });
  expect(last.verdict).toBe('ALLOW');
  expect(whatWouldChange(last).near).toMatchObject([
    { check: 'turn', words: '1 more such call in the turn "p" before it' },
  ]);
});

test('says for a mandate in observe mode what would be needed if the mandate were enforced', async () => {
  const box = deciderInABox([{ mode: 'observe', deniedTools: ['*'] }]);
  const observed = await ask(box, { id: 'a' });
  expect(observed.verdict).toBe('ALLOW');
  expect(whatWouldChange(observed)).toMatchObject({ needs: [{ check: 'tool-denied' }], askAgainAs: null });
});

test('names no way to pass a check that it does not know or cannot read, and shows the evidence', () => {
  const checks = [
    { check: 'intent', result: 'block' as const, evidence: { intent: 'x' } },
    { check: 'budget', result: 'block' as const, evidence: { scope: 'agent' } },
  ];
  const of = { appendedAtMs: START_MS, verdict: 'BLOCK' as const, checks };
  const { needs } = whatWouldChange(buildDecision(1, of));
  expect(needs).toMatchObject([
    { check: 'intent', anyOf: [] },
    { check: 'budget', anyOf: [] },
  ]);
});

test('if an old decision does not have its cost, says that more is needed but not how much', () => {
  const evidence = {
    scope: 'agent',
    id: 'total',
    windowMs: null,
    spentMicros: 5,
    maxMicros: 6,
    retryAfterMs: null,
  };
  const of = { appendedAtMs: START_MS, checks: [{ check: 'budget', result: 'block' as const, evidence }] };
  expect(whatWouldChange(buildDecision(1, of)).needs[0]?.anyOf).toEqual([
    {
      way: 'higher-limit',
      words: 'more in the agent budget "total"',
      budget: { scope: 'agent', id: 'total', windowMs: null },
    },
  ]);
});
