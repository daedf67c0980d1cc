/** Makes mandates, actions and outcomes from a small set of names, so that they often match. */
import { compilePolicy } from '@mandate/policy';
import { type Action, actionRequested } from '@mandate/schemas';
import fc from 'fast-check';
import { asking } from '../decider-in-a-box.ts';

const TOOLS = ['get_user', 'send', 'fs.read/x', 'bad_admin'];
const MODELS = ['gpt-4o', 'claude-opus-4-1', 'homegrown', 'openai/GPT-4o', 'azure/gpt-4o-2024-08-06'];
const PATTERNS = ['*', 'get_*', '*_admin', 'send', 'gpt-*', 'fs.*'];
const MODEL_PATTERNS = ['*', 'gpt-4*', 'GPT-4o', 'openai/gpt-4o', 'azure/*', 'homegrown', 'claude-*'];
const PROVIDER_PATTERNS = ['*', 'openai', 'Azure', 'an*'];

const dollars = fc.constantFrom(0, 0.000001, 0.1, 0.3, 1, 9007199254);
const windowMs = fc.constantFrom(1, 10, 500, 3_000, 60_000);
const rate = fc.record(
  { maxCalls: fc.nat(3), windowMs, scope: fc.constantFrom('agent', 'principal') },
  { requiredKeys: ['maxCalls', 'windowMs'] },
);
export const patterns = fc.subarray(PATTERNS);
const charging = fc.oneof(
  fc.constantFrom({ type: 'SUCCESS_BASED' }, { type: 'ATTEMPT_BASED' }),
  fc.record({ type: fc.constant('TIERED'), attempt: fc.constantFrom(0, 0.01), success: fc.constant(0.1) }),
);

const toolPolicy = fc.record(
  {
    cost: dollars,
    maxCostPerCall: dollars,
    maxActualCost: dollars,
    rateLimit: rate,
    chargingPolicy: charging,
    executionLeaseMs: fc.constantFrom(1, 100, 5_000),
    roles: fc.subarray(['user', 'admin']),
    requiresConfirmation: fc.boolean(),
    argumentValidation: fc.constant({ validators: ['noSystemPaths'] }),
  },
  { requiredKeys: [] },
);

const scope = fc.constantFrom('agent', 'principal', 'mandate', 'tenant');
const budgets = fc.uniqueArray(
  fc.record(
    { id: fc.constantFrom('a', 'b'), scope, max: dollars, windowMs },
    { requiredKeys: ['id', 'scope', 'max'] },
  ),
  { maxLength: 3, selector: ({ id, scope, windowMs }) => `${id} ${scope} ${windowMs}` },
);

const maxTokens = fc.constantFrom(0, 100, 1_100, 5_000, Number.MAX_SAFE_INTEGER);
const tokensPerWindow = fc.uniqueArray(
  fc.record({ id: fc.constantFrom('a', 'b'), scope, maxTokens, windowMs }),
  { maxLength: 2, selector: ({ id, scope, windowMs }) => `${id} ${scope} ${windowMs}` },
);

const maxToolCalls = fc.constantFrom(0, 1, 2, 5, Number.MAX_SAFE_INTEGER);
const toolCallsPerWindow = fc.uniqueArray(
  fc.record({ id: fc.constantFrom('a', 'b'), scope, maxToolCalls, windowMs }),
  { maxLength: 2, selector: ({ id, scope, windowMs }) => `${id} ${scope} ${windowMs}` },
);

const modelPrice = fc.record(
  { inputPerMillion: dollars, outputPerMillion: dollars, perCall: dollars },
  {
    requiredKeys: ['inputPerMillion', 'outputPerMillion'],
  },
);

const arbitraryFields = fc.record(
  {
    mode: fc.constantFrom('enforce', 'enforce', 'observe'),
    expiresAt: fc.constantFrom('2026-03-01T12:00:05Z', '2026-03-01T12:01:00Z', '2025-01-01T00:00:00Z'),
    maxCostTotal: dollars,
    maxCostPerCall: dollars,
    maxActualCost: dollars,
    maxReleases: fc.oneof(
      fc.constant('unlimited'),
      fc.record({ calls: fc.nat(2), percent: fc.constantFrom(0, 20, 100) }),
    ),
    requireEstimate: fc.boolean(),
    defaultEstimate: dollars,
    maxOpen: fc.oneof(fc.constant('unlimited'), fc.nat(2)),
    budgets,
    maxTokensTotal: maxTokens,
    tokensPerWindow,
    maxToolCallsTotal: maxToolCalls,
    toolCallsPerWindow,
    rateLimit: rate,
    maxWaiting: fc.nat(2),
    allowedTools: patterns,
    deniedTools: patterns,
    allowedModels: fc.subarray(MODEL_PATTERNS),
    deniedModels: fc.subarray(MODEL_PATTERNS),
    allowedProviders: fc.subarray(PROVIDER_PATTERNS),
    deniedProviders: fc.subarray(PROVIDER_PATTERNS),
    modelPrices: fc.dictionary(fc.constantFrom('homegrown', 'gpt-4o', 'azure/gpt-4o'), modelPrice),
    defaultTokens: fc.record(
      { inputTokens: fc.constantFrom(1, 1_000), maxOutputTokens: fc.constantFrom(0, 100) },
      { requiredKeys: [] },
    ),
    tools: fc.subarray(TOOLS),
    defaultChargingPolicy: charging,
    toolPolicies: fc.dictionary(fc.constantFrom(...TOOLS), toolPolicy),
  },
  { requiredKeys: [] },
);

/** Removes limits of tools that cannot be called, because a document with such a limit is refused. */
export function withoutIdleLimits<Fields extends { toolPolicies?: object | undefined }>(
  fields: Fields,
): Fields {
  const { toolPolicies } = fields;
  if (toolPolicies === undefined) return fields;
  const compiled = compilePolicy(JSON.parse(JSON.stringify(fields)), null);
  const faults = compiled.ok ? [] : compiled.faults;
  const idle = new Set(faults.map(({ path: [field, tool] }) => (field === 'toolPolicies' ? tool : null)));
  const kept = Object.entries(toolPolicies).filter(([tool]) => !idle.has(tool));
  return { ...fields, toolPolicies: Object.fromEntries(kept) };
}

/** Fields of a mandate document. `mandatesOf` adds the required fields. */
export const arbitraryMandate = arbitraryFields.map(withoutIdleLimits);

const MICROS = [0, 1, 100_000, 300_000, Number.MAX_SAFE_INTEGER];
const everyAction = {
  id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  agentId: fc.constantFrom('agent-1', 'agent-2'),
  tenant: fc.constantFrom('default', 'acme'),
  attempt: fc.integer({ min: 1, max: 4 }),
  estimatedCostMicros: fc.constantFrom(...MICROS),
  idempotencyKey: fc.constantFrom('k', 'l'),
  principal: fc.constantFrom({ id: 'ann', role: 'admin' }, { id: 'bob', role: 'user' }, { id: 'ann' }),
  requestedAt: fc.constant('2026-03-01T13:00:00+01:00'),
  mandateId: fc.constantFrom('m', 'm', 'm', 'none'),
};
const required: ['id'] = ['id'];

const arbitraryRequest = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record(
      {
        ...everyAction,
        tool: fc.constantFrom(...TOOLS),
        args: fc.dictionary(fc.constantFrom('path', 'n'), fc.constantFrom('/etc/passwd', 'notes.txt', 7)),
      },
      { requiredKeys: required },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record(
      {
        ...everyAction,
        type: fc.constant('llm_call'),
        model: fc.constantFrom(...MODELS),
        provider: fc.constantFrom('openai', 'anthropic', 'nobody', undefined),
        inputTokens: fc.constantFrom(1, 1_000, Number.MAX_SAFE_INTEGER, undefined),
        maxOutputTokens: fc.constantFrom(0, 100, undefined),
      },
      { requiredKeys: ['id', 'type'] },
    ),
  },
);

/** Generates `action.requested` records as they would be published. */
export const arbitraryAsk = arbitraryRequest.map((request) => actionRequested.parse(asking(request)));

export const arbitraryAction: fc.Arbitrary<Action> = arbitraryAsk.map(({ action }) => action);

export const arbitraryReport = fc.record(
  {
    actionId: everyAction.id,
    agentId: everyAction.agentId,
    tenant: everyAction.tenant,
    attempt: everyAction.attempt,
    status: fc.constantFrom('success', 'failure', 'cancelled'),
    actualCostMicros: fc.constantFrom(...MICROS),
    usage: fc.record({ inputTokens: fc.constantFrom(0, 700, 20_000), outputTokens: fc.nat(200) }),
    verification: fc.record({ ok: fc.boolean() }),
  },
  { requiredKeys: ['actionId', 'agentId', 'status'] },
);
