/** The mandate as people write it: YAML or JSON, amounts in dollars. An unknown field is an error. */

import { z } from 'zod';
import {
  BUDGET_SCOPES,
  type CounterUnit,
  RATE_SCOPES,
  RELEASED_BUDGET,
  TOTAL_BUDGET,
  UNIT_NAMES,
} from './counter-names.ts';
import { CAPS } from './defaults.ts';
import { described } from './described.ts';
import { governanceDocument } from './governance-document.ts';
import { dollars } from './money-shapes.ts';
import { patterns } from './pattern.ts';
import { RISK_LEVELS } from './risk.ts';
import { id, idThat, pathId, time } from './scalars.ts';

/** The exact name of a tool or a model. A `*` has no special meaning here. */
const nameOfOne = (what: string) =>
  idThat(id, /^[^*]*$/, `must be the name of one ${what}: a * means nothing here`);
const toolName = nameOfOne('tool');
const modelName = nameOfOne('model');

export const rateDocument = z.strictObject({
  maxCalls: described(z.int().min(0).max(CAPS.rateCalls), 'The maximum number of calls in any window.', 100),
  windowMs: described(
    z.int().min(1).max(CAPS.rateWindowMs),
    'The length of the window, in milliseconds.',
    60_000,
  ),
  scope: described(
    z.enum(RATE_SCOPES).optional(),
    '`principal`: the calls of each person count, whichever agent calls. Default: `agent`, the calls of each agent.',
  ),
});

export const chargingDocument = z.discriminatedUnion('type', [
  z.strictObject({
    type: described(z.literal('SUCCESS_BASED'), 'A failure costs nothing, unless its cost was metered.'),
  }),
  z.strictObject({ type: described(z.literal('ATTEMPT_BASED'), 'A failure costs as much as a success.') }),
  z.strictObject({
    type: described(z.literal('TIERED'), 'Fixed amounts for an attempt, a success and a verification.'),
    attempt: described(dollars, 'What every attempt costs, in dollars.', 0.01),
    success: described(dollars, 'What a success costs on top, in dollars.', 0.02),
    verification: described(
      dollars.optional(),
      'The additional cost of a verification that passed, in dollars. Default: 0.',
      0.005,
    ),
  }),
]);
export type ChargingDocument = z.infer<typeof chargingDocument>;

/** @param total the field that limits the counter `total` */
const nameOfCounter = (total: string) =>
  id
    .refine((name) => name !== TOTAL_BUDGET, {
      error: `must not be "${TOTAL_BUDGET}": that budget is ${total}`,
    })
    .refine((name) => name !== RELEASED_BUDGET, {
      error: `must not be "${RELEASED_BUDGET}": that counter is bounded by maxReleases`,
    });

export const budgetDocument = z.strictObject({
  id: described(nameOfCounter('maxCostTotal'), 'The id of the budget, unique in its document.', 'team'),
  scope: described(
    z.enum(BUDGET_SCOPES),
    'Who shares the counter: each agent, each principal, all agents of the mandate, or the tenant.',
  ),
  max: described(dollars, 'The most that may be spent, in dollars.', 20),
  windowMs: described(
    z.int().min(1).max(CAPS.budgetWindowMs).optional(),
    'The length of the sliding window, in milliseconds. Without it the budget never resets.',
    86_400_000,
  ),
});
export type BudgetDocument = z.infer<typeof budgetDocument>;

const mostInUnit = z.int().min(0).max(CAPS.amountOfUnit);

/** The fields that windows of every unit share. */
function unitWindow(unit: CounterUnit) {
  return {
    id: described(
      nameOfCounter(UNIT_NAMES[unit].total),
      'The id of the limit. With its scope and window it is unique in its document.',
      'minute',
    ),
    scope: described(
      z.enum(BUDGET_SCOPES),
      'Who shares the counter: each agent, each principal, all agents of the mandate, or the tenant.',
    ),
    windowMs: described(
      z.int().min(1).max(CAPS.budgetWindowMs),
      'The length of the sliding window, in milliseconds.',
      60_000,
    ),
  };
}

export const tokenWindowDocument = z.strictObject({
  ...unitWindow('tokens'),
  maxTokens: described(
    mostInUnit,
    'The most tokens that may be used in any window, of input and output together.',
    100_000,
  ),
});

export const toolCallWindowDocument = z.strictObject({
  ...unitWindow('toolCalls'),
  maxToolCalls: described(
    mostInUnit,
    'The most calls of tools that answers of models may ask for in any window.',
    50,
  ),
});

export const argumentValidationDocument = z.strictObject({
  schema: described(
    z.record(z.string(), z.json()).optional(),
    'A JSON Schema that the arguments must match.',
    { type: 'object', properties: { amount: { type: 'number', maximum: 100 } } },
  ),
  validators: described(
    z
      .array(z.union([z.string(), z.record(z.string(), z.json())]))
      .max(32)
      .optional(),
    'Named validators of the arguments, or one with its parameters.',
    ['paths', { emailDomains: ['company.com'] }],
  ),
});

export const releasesDocument = z.union([
  z.literal('unlimited'),
  z.strictObject({
    calls: described(
      z.int().min(0).max(CAPS.releaseCalls),
      'How many calls an agent may give back by its own reports, each at the price of the call.',
      10,
    ),
    percent: described(
      z.int().min(0).max(100),
      'By how much each success raises what may still be given back, in percent of its cost.',
      20,
    ),
  }),
]);
export type ReleasesDocument = z.infer<typeof releasesDocument>;

export const openDocument = z.union([z.literal('unlimited'), z.int().min(0).max(CAPS.openCalls)]);
export type OpenDocument = z.infer<typeof openDocument>;

const personMs = z.int().min(1_000).max(CAPS.questionMs).optional();

export const toolPolicyDocument = z.strictObject({
  cost: described(
    dollars.optional(),
    'The price of a call, in dollars. A higher estimate of the request counts instead.',
    0.1,
  ),
  maxCostPerCall: described(
    dollars.optional(),
    'The most that one call of the tool may cost, in dollars.',
    0.5,
  ),
  maxActualCost: described(
    dollars.optional(),
    'How much of an actual cost is charged to shared budgets, in dollars.',
    2,
  ),
  rateLimit: described(rateDocument.optional(), "A rate for each agent's calls of this tool."),
  chargingPolicy: described(
    chargingDocument.optional(),
    'How an outcome of the tool is charged. It replaces the default of the mandate.',
  ),
  argumentValidation: described(
    argumentValidationDocument.optional(),
    'What the arguments of a call must satisfy.',
  ),
  executionLeaseMs: described(
    z.int().min(1).max(CAPS.leaseMs).optional(),
    'How long an allowed call may run before its reservation counts as lost, in milliseconds.',
    30_000,
  ),
  roles: described(
    z.array(id).max(CAPS.roles).optional(),
    'The roles of people for whom the tool may be called (`principal.role`). Empty: for nobody. Default: for everybody.',
    ['premium', 'admin'],
  ),
  requiresConfirmation: described(z.boolean().optional(), 'Whether a person must approve each call.', true),
  questionMs: described(personMs, 'How long a question to a person lives, in milliseconds.', 3_600_000),
  grantMs: described(
    personMs,
    'How long an approval is valid if the person sets no time, in milliseconds.',
    300_000,
  ),
  risk: described(
    z.enum(RISK_LEVELS).optional(),
    'The risk of the tool, for the people who approve its calls. It counts instead of the risk in the request.',
    'critical',
  ),
  idempotent: described(
    z.boolean().optional(),
    'Whether a repeated call has no further effect. It counts instead of what the server of the tool says. The MCP proxy sends only such a call again.',
    false,
  ),
});
export type ToolPolicyDocument = z.infer<typeof toolPolicyDocument>;

/** The price of a model. Both kinds of tokens must have a price, so that no token is free by mistake. */
export const modelPriceDocument = z.strictObject({
  inputPerMillion: described(dollars, 'The price of a million input tokens, in dollars.', 3),
  outputPerMillion: described(dollars, 'The price of a million output tokens, in dollars.', 15),
  cachedInputPerMillion: described(
    dollars.optional(),
    'The price of a million input tokens that are read from a cache, in dollars. Default: the price of other input.',
    0.3,
  ),
  cacheWritePerMillion: described(
    dollars.optional(),
    'The price of a million input tokens that are written to a cache, in dollars. Default: the price of other input.',
    3.75,
  ),
  perCall: described(
    dollars.optional(),
    'The price of each call, whatever its tokens, in dollars. Default: 0.',
    0.001,
  ),
});
export type ModelPriceDocument = z.infer<typeof modelPriceDocument>;

/** The token counts to assume for a call that does not state them. */
const tokensDocument = z.strictObject({
  inputTokens: described(
    z.int().min(1).optional(),
    'The input tokens of a call that does not state them.',
    8_000,
  ),
  maxOutputTokens: described(
    z.int().min(0).optional(),
    'The output tokens of a call that does not state them.',
    4_096,
  ),
});

export const mandateDocument = z
  .strictObject({
    version: described(z.literal(1), 'The version of this format: always 1.'),
    id: described(id, 'The id of the mandate.', 'support-bot'),
    mode: described(
      z.enum(['enforce', 'observe']).optional(),
      '`observe`: actions are decided and recorded, but refusals are let through. Default: `enforce`.',
    ),
    agents: described(patterns.min(1), 'Patterns of the agents that hold this mandate.', ['airline-*']),
    expiresAt: described(
      time.optional(),
      'From this time on every action is refused. Default: the mandate never expires.',
      '2027-01-01T00:00:00Z',
    ),
    maxCostTotal: described(
      dollars.optional(),
      'The lifetime budget of each agent, in dollars. Default: no limit. 0: nothing may be spent.',
      10,
    ),
    maxCostPerCall: described(
      dollars.optional(),
      'The most that one call may cost, in dollars. Default: no limit.',
      0.5,
    ),
    maxActualCost: described(
      dollars.optional(),
      'How much of an actual cost is charged to shared budgets, in dollars.',
      2,
    ),
    maxReleases: described(
      releasesDocument.optional(),
      "How much an agent's own reports of failures may give back: a number of calls, or `unlimited`.",
      { calls: 10, percent: 20 },
    ),
    requireEstimate: described(
      z.boolean().optional(),
      'Whether a call of a tool without a price must state an estimate. Default: false.',
      true,
    ),
    defaultEstimate: described(
      dollars.optional(),
      'The least that a call of a tool without a price reserves, in dollars.',
      0.01,
    ),
    maxOpen: described(
      openDocument.optional(),
      'How many calls of each agent may be open at one time: a number, or `unlimited`.',
      20,
    ),
    budgets: described(z.array(budgetDocument).max(CAPS.budgetsPerMandate).optional(), 'Further budgets.'),
    maxTokensTotal: described(
      mostInUnit.optional(),
      'The tokens that each agent may use over its life, of input and output together. Default: no limit. 0: none.',
      5_000_000,
    ),
    tokensPerWindow: described(
      z.array(tokenWindowDocument).max(CAPS.budgetsPerMandate).optional(),
      'The tokens that may be used in a sliding window.',
    ),
    maxToolCallsTotal: described(
      mostInUnit.optional(),
      'The calls of tools that answers of models may ask for, for each agent over its life. Default: no limit. 0: no LLM call.',
      500,
    ),
    toolCallsPerWindow: described(
      z.array(toolCallWindowDocument).max(CAPS.budgetsPerMandate).optional(),
      'The calls of tools that answers of models may ask for in a sliding window.',
    ),
    rateLimit: described(rateDocument.optional(), 'A rate for all actions of each agent.'),
    maxWaiting: described(
      z.int().min(0).max(CAPS.maxWaiting).optional(),
      'How many actions of each agent may wait for a person at one time.',
      50,
    ),
    allowedTools: described(
      patterns.optional(),
      'Patterns of tools. A tool must match one. Default: every tool.',
      ['get_*', 'search_*', 'send_certificate'],
    ),
    deniedTools: described(patterns.optional(), 'Patterns of tools that are denied. Deny beats allow.', [
      'shell_*',
    ]),
    allowedModels: described(
      patterns.optional(),
      'Patterns of models. A model must match one. Default: every model.',
      ['gpt-4o', 'claude-*'],
    ),
    deniedModels: described(patterns.optional(), 'Patterns of models that are denied.', ['gpt-3.5-*']),
    allowedProviders: described(
      patterns.optional(),
      'Patterns of providers. A provider must match one. Default: every provider.',
      ['anthropic', 'openai'],
    ),
    deniedProviders: described(patterns.optional(), 'Patterns of providers that are denied.', ['openrouter']),
    modelPrices: described(
      z.record(modelName, modelPriceDocument).optional(),
      'Prices of models by name: `my-model`, `azure/my-deployment`. They replace the price lists.',
      { 'my-model': { inputPerMillion: 3, outputPerMillion: 15 } },
    ),
    defaultTokens: described(
      tokensDocument.optional(),
      'The tokens to assume for an LLM call that does not state them.',
    ),
    tools: described(
      z.array(toolName).max(CAPS.toolPolicies).optional(),
      'The exact names of all tools that exist. Any other name is refused.',
      ['get_user', 'send_certificate'],
    ),
    defaultChargingPolicy: described(
      chargingDocument.optional(),
      'How outcomes are charged. Default: SUCCESS_BASED.',
    ),
    toolPolicies: described(
      z.record(toolName, toolPolicyDocument).optional(),
      'Settings of single tools, by exact name.',
      { send_certificate: { cost: 0.1, rateLimit: { maxCalls: 5, windowMs: 3_600_000 } } },
    ),
    governance: described(
      governanceDocument.optional(),
      'Roles, intents, memory and guardrails. A manifest with its permissions is compiled to this section.',
    ),
  })
  .meta({
    title: 'mandate',
    description:
      'The authority of agents: budgets, rates, tools, rules for arguments, and expiry. Amounts are in dollars.',
  });
export type MandateDocument = z.infer<typeof mandateDocument>;

export const policyDocument = z
  .strictObject({
    ...mandateDocument.omit({ agents: true }).shape,
    id: described(
      idThat(pathId, /^[^@]*$/, 'must not contain @: an @ comes before a version'),
      'The id of the policy. It has no `@`, because `@` comes before a version.',
      'read-only',
    ),
    delegableTools: described(
      patterns.optional(),
      'Tools that descendants of the agent may be allowed, although the agent may not call them itself.',
      ['search_*'],
    ),
  })
  .meta({
    title: 'policy',
    description:
      'A named piece of authority. It has the fields of a mandate, but names no agents: rules give it to agents.',
  });
export type PolicyDocument = z.infer<typeof policyDocument>;
