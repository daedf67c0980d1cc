/**
 * Tests the precedence of docs/semantics.md section 1, pair by pair: if two reasons refuse a request, the decision
 * gives the reason that is earlier in the table.
 */
import { mandatesByRegister } from '@mandate/control';
import { mandatesOfFile } from '@mandate/policy';
import { CAPS, type Code } from '@mandate/schemas';
import { describe, expect, test, vi } from 'vitest';
import { asking, type Box, deciderInABox, decisionOf, mandatesOf } from '../decider-in-a-box.ts';
import { type Register, registered } from './registered.ts';

// The timeout is long: a test may take about a second, and more on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

type Reason = {
  code: Code;
  /** The name of the check that refuses the request. */
  check: string;
  /** The kind of action that this reason can refuse. Default: every kind. */
  only?: 'tool_call' | 'llm_call';
  mandate?: object;
  /** The fields of a second policy that applies at the same time. */
  beside?: object;
  tool?: object;
  action?: object;
  lateMs?: number;
  before?(box: Box, ask: object): Promise<unknown>;
  /** The documents that the control topic has. */
  register?: Partial<Register>;
};

const dear = { estimatedCostMicros: 1 };
const dearText = 'ab'.repeat(CAPS.stringUnits / 2);
const none = { maxCalls: 0, windowMs: 1_000 };

/** The reasons to refuse, in the order of the table in docs/semantics.md. */
const REASONS: readonly Reason[] = [
  { code: 'DUPLICATE_ACTION', check: 'duplicate', before: (box, ask) => box.answer([box.append(ask)]) },
  { code: 'DEADLINE_EXCEEDED', check: 'deadline', lateMs: 100_000 },
  {
    code: 'AGENT_KILLED',
    check: 'kill-switch',
    before: (box) => box.ledger.kill({ scope: 'all' }, { id: 'k', by: 'op', reason: 'r' }),
  },
  { code: 'TENANT_CLOSED', check: 'tenant-open', register: { closedAt: '2026-03-01T12:00:00.000Z' } },
  {
    code: 'GRANT_REQUIRED',
    check: 'mandate-found',
    register: { agents: [{ id: 'agent-1', requiresGrant: true }] },
  },
  {
    code: 'RULES_TOO_COSTLY',
    check: 'within-steps',
    register: {
      agents: [{ id: 'agent-1', labels: { text: dearText } }],
      policies: [{ id: 'open' }],
      rules: [
        {
          id: 'dear',
          policy: 'open',
          when: { field: 'agent.labels.text', op: 'matches', value: '(?:[ab]?){1000}[cd]' },
        },
      ],
    },
  },
  { code: 'MANDATE_NOT_FOUND', check: 'mandate-found', mandate: { agents: ['nobody'] } },
  { code: 'MANDATE_EXPIRED', check: 'mandate-alive', mandate: { expiresAt: '2026-01-01T00:00:00Z' } },
  { code: 'TOOL_DENIED', check: 'tool-denied', only: 'tool_call', mandate: { deniedTools: ['*'] } },
  { code: 'UNKNOWN_TOOL', check: 'tool-known', only: 'tool_call', beside: { tools: [] } },
  { code: 'TOOL_NOT_ALLOWED', check: 'tool-allowed', only: 'tool_call', mandate: { allowedTools: [] } },
  {
    code: 'ARGUMENT_VALIDATION_FAILED',
    check: 'arguments-valid',
    only: 'tool_call',
    tool: { argumentValidation: { schema: { type: 'object', required: ['never'] } } },
  },
  { code: 'MODEL_NOT_ALLOWED', check: 'model-allowed', only: 'llm_call', mandate: { deniedModels: ['*'] } },
  {
    code: 'PROVIDER_NOT_ALLOWED',
    check: 'provider-allowed',
    only: 'llm_call',
    mandate: { deniedProviders: ['*'] },
  },
  {
    code: 'UNPRICED_MODEL',
    check: 'model-priced',
    only: 'llm_call',
    mandate: { budgets: [{ id: 'x', scope: 'tenant', max: 9 }] },
    action: { model: 'homegrown', estimatedCostMicros: undefined },
  },
  {
    code: 'TOKENS_NOT_STATED',
    check: 'model-priced',
    only: 'llm_call',
    mandate: { budgets: [{ id: 'x', scope: 'tenant', max: 9 }] },
    action: { inputTokens: undefined, estimatedCostMicros: undefined },
  },
  {
    code: 'ESTIMATE_REQUIRED',
    check: 'estimate-stated',
    only: 'tool_call',
    mandate: { requireEstimate: true },
    action: { estimatedCostMicros: undefined },
  },
  {
    code: 'COST_LIMIT_EXCEEDED',
    check: 'tool-cost-per-call',
    only: 'tool_call',
    tool: { maxCostPerCall: 0 },
    action: dear,
  },
  {
    code: 'COST_LIMIT_EXCEEDED',
    check: 'mandate-cost-per-call',
    mandate: { maxCostPerCall: 0 },
    action: dear,
  },
  { code: 'RATE_LIMIT_EXCEEDED', check: 'tool-rate', only: 'tool_call', tool: { rateLimit: none } },
  { code: 'COST_LIMIT_EXCEEDED', check: 'budget', mandate: { maxCostTotal: 0 }, action: dear },
  { code: 'RATE_LIMIT_EXCEEDED', check: 'mandate-rate', mandate: { rateLimit: none } },
  {
    code: 'APPROVAL_REQUIRED',
    check: 'confirmation',
    only: 'tool_call',
    tool: { requiresConfirmation: true },
  },
];

/** Pairs of reasons that cannot occur together. For example, without a price there is no cost to exceed. */
const EXCLUSIVE = new Set([
  'UNPRICED_MODEL TOKENS_NOT_STATED',
  ...['UNPRICED_MODEL', 'TOKENS_NOT_STATED'].flatMap((code) => [
    `${code} mandate-cost-per-call`,
    `${code} budget`,
  ]),
  'estimate-stated tool-cost-per-call',
  'estimate-stated mandate-cost-per-call',
  'estimate-stated budget',
]);

const PAIRS = REASONS.flatMap((first, at) =>
  REASONS.slice(at).flatMap((second) => {
    const apart = first.only !== undefined && second.only !== undefined && first.only !== second.only;
    const isExclusive = [second.check, second.code].some((other) => EXCLUSIVE.has(`${first.code} ${other}`));
    return apart || isExclusive ? [] : [{ first, second }];
  }),
);

const NOTHING: Register = { agents: [], policies: [], rules: [] };

async function decided({ first, second }: { first: Reason; second: Reason }) {
  const type = first.only ?? second.only ?? 'tool_call';
  const box = deciderInABox([{}]);
  const ask = asking({ id: 'a', type, ...second.action, ...first.action });
  for (const reason of [first, second]) {
    await reason.before?.(box, ask);
    if (first === second) break;
  }
  const tool = { ...second.tool, ...first.tool };
  box.enforce([{ ...second.mandate, ...first.mandate, toolPolicies: { get_user: tool } }]);
  const beside = mandatesOf([{ ...second.beside, ...first.beside }]).flatMap(({ policies }) => policies);
  box.mandates = box.mandates.map((mandate) => ({ ...mandate, policies: [...mandate.policies, ...beside] }));
  const register = { ...NOTHING, ...second.register, ...first.register };
  const controlled = registered(register);
  box.context = {
    ...box.context,
    control: () => mandatesByRegister(controlled, mandatesOfFile(box.mandates, box.revision)),
  };
  const lateMs = Math.max(first.lateMs ?? 0, second.lateMs ?? 0);
  const [answer] = await box.answer([box.append(ask, undefined, box.clock() - lateMs)]);
  return decisionOf(answer);
}

test('every pair of reasons that can occur together is tested', () => expect(PAIRS).toHaveLength(239));

describe('if two reasons refuse a request, the decision gives the earlier one:', () => {
  test.each(PAIRS.map((pair) => ({ ...pair, name: `${pair.first.check} before ${pair.second.check}` })))(
    '$name',
    async (pair) => {
      const decision = await decided(pair);
      const objected = decision.checks.find(({ result }) => result === 'block' || result === 'defer');
      expect({ code: decision.code, check: objected?.check }).toEqual({
        code: pair.first.code,
        check: pair.first.check,
      });
      expect(decision.verdict).toBe(decision.code === 'APPROVAL_REQUIRED' ? 'DEFER' : 'BLOCK');
      expect(decision.reservation).toBeNull();
    },
  );
});
