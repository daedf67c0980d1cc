/** The mandate as people write it: YAML or JSON, amounts in dollars. An unknown field is an error. */
import { z } from 'zod';
import { BUDGET_SCOPES, RELEASED_BUDGET, TOTAL_BUDGET } from './counter-names.ts';
import { CAPS } from './defaults.ts';
import { dollars } from './money-shapes.ts';
import { patterns } from './pattern.ts';
import { id, idThat, pathId, time } from './scalars.ts';

/** A tool or a model by its own name, where patterns have no meaning. */
const nameOfOne = (what: string) =>
  idThat(id, /^[^*]*$/, `must be the name of one ${what}: a * means nothing here`);
const toolName = nameOfOne('tool');
const modelName = nameOfOne('model');

export const rateDocument = z.strictObject({
  maxCalls: z.int().min(0).max(CAPS.rateCalls).describe('The most calls in any window.'),
  windowMs: z.int().min(1).max(CAPS.rateWindowMs).describe('The length of the window, in milliseconds.'),
});

export const chargingDocument = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('SUCCESS_BASED').describe('A failure costs nothing, unless its cost was metered.'),
  }),
  z.strictObject({ type: z.literal('ATTEMPT_BASED').describe('A failure costs as much as a success.') }),
  z.strictObject({
    type: z.literal('TIERED').describe('Fixed amounts for an attempt, a success and a verification.'),
    attempt: dollars,
    success: dollars,
    verification: dollars.optional(),
  }),
]);
export type ChargingDocument = z.infer<typeof chargingDocument>;

export const budgetDocument = z.strictObject({
  id: id
    .refine((name) => name !== TOTAL_BUDGET, {
      error: `must not be "${TOTAL_BUDGET}": that budget is maxCostTotal`,
    })
    .refine((name) => name !== RELEASED_BUDGET, {
      error: `must not be "${RELEASED_BUDGET}": that counter is bounded by maxReleases`,
    }),
  scope: z
    .enum(BUDGET_SCOPES)
    .describe(
      'Who shares the counter: each agent, each principal, all agents of the mandate, or the tenant.',
    ),
  max: dollars.describe('The most that may be spent, in dollars.'),
  windowMs: z
    .int()
    .min(1)
    .max(CAPS.budgetWindowMs)
    .optional()
    .describe('The length of the sliding window, in milliseconds. Without it the budget never resets.'),
});
export type BudgetDocument = z.infer<typeof budgetDocument>;

export const argumentValidationDocument = z.strictObject({
  schema: z.record(z.string(), z.json()).optional().describe('A JSON Schema that the arguments must match.'),
  /** Named validators, or one with its parameters: `{ emailDomains: [company.com] }`. */
  validators: z
    .array(z.union([z.string(), z.record(z.string(), z.json())]))
    .max(32)
    .optional(),
});

export const releasesDocument = z.union([
  z.literal('unlimited'),
  z.strictObject({
    calls: z
      .int()
      .min(0)
      .max(CAPS.releaseCalls)
      .describe('How many calls an agent may give back by its own reports, each at the price of the call.'),
    percent: z
      .int()
      .min(0)
      .max(100)
      .describe('How much each success makes room again, in percent of its cost.'),
  }),
]);
export type ReleasesDocument = z.infer<typeof releasesDocument>;

export const openDocument = z.union([z.literal('unlimited'), z.int().min(0).max(CAPS.openCalls)]);
export type OpenDocument = z.infer<typeof openDocument>;

const personMs = z.int().min(1_000).max(CAPS.questionMs).optional();

export const toolPolicyDocument = z.strictObject({
  cost: dollars
    .optional()
    .describe('The price of a call, in dollars. A higher estimate of the request counts instead.'),
  maxCostPerCall: dollars.optional().describe('The most that one call of the tool may cost, in dollars.'),
  maxActualCost: dollars
    .optional()
    .describe('How much of an actual cost is charged to shared budgets, in dollars.'),
  rateLimit: rateDocument.optional().describe("A rate for each agent's calls of this tool."),
  chargingPolicy: chargingDocument
    .optional()
    .describe('How an outcome of the tool is charged. It replaces the default of the mandate.'),
  argumentValidation: argumentValidationDocument
    .optional()
    .describe('What the arguments of a call must be like.'),
  executionLeaseMs: z
    .int()
    .min(1)
    .max(CAPS.leaseMs)
    .optional()
    .describe('How long an allowed call may run before its reservation counts as lost, in milliseconds.'),
  requiresConfirmation: z.boolean().optional().describe('Whether a person must approve each call.'),
  questionMs: personMs.describe('How long a question to a person lives, in milliseconds.'),
  grantMs: personMs.describe('How long an approval lives if the person sets no time, in milliseconds.'),
});
export type ToolPolicyDocument = z.infer<typeof toolPolicyDocument>;

/** What a model costs. Both kinds of tokens are priced, so that none is free because it was forgotten. */
export const modelPriceDocument = z.strictObject({
  inputPerMillion: dollars.describe('Dollars for a million input tokens.'),
  outputPerMillion: dollars.describe('Dollars for a million output tokens.'),
  perCall: dollars.optional().describe('Dollars for each call, whatever its tokens.'),
});
export type ModelPriceDocument = z.infer<typeof modelPriceDocument>;

/** The tokens to assume for a call that does not state them. */
const tokensDocument = z.strictObject({
  inputTokens: z.int().min(1).optional().describe('The input tokens of a call that does not state them.'),
  maxOutputTokens: z
    .int()
    .min(0)
    .optional()
    .describe('The output tokens of a call that does not state them.'),
});

export const mandateDocument = z
  .strictObject({
    version: z.literal(1).describe('The version of this format: always 1.'),
    id,
    mode: z
      .enum(['enforce', 'observe'])
      .optional()
      .describe('`observe`: decided and recorded, but refusals are let through.'),
    agents: patterns.min(1).describe('Patterns of the agents that hold this mandate.'),
    expiresAt: time.optional().describe('From this time on every action is refused.'),
    maxCostTotal: dollars.optional().describe('The lifetime budget of each agent, in dollars.'),
    maxCostPerCall: dollars.optional().describe('The most that one call may cost, in dollars.'),
    maxActualCost: dollars
      .optional()
      .describe('How much of an actual cost is charged to shared budgets, in dollars.'),
    maxReleases: releasesDocument.optional().describe("How much an agent's own reports may give back."),
    requireEstimate: z
      .boolean()
      .optional()
      .describe('Whether a call of a tool without a price must state an estimate.'),
    defaultEstimate: dollars
      .optional()
      .describe('The least that a call of a tool without a price reserves, in dollars.'),
    maxOpen: openDocument.optional().describe('How many calls of each agent may be open at one time.'),
    budgets: z.array(budgetDocument).max(CAPS.budgetsPerMandate).optional().describe('Further budgets.'),
    rateLimit: rateDocument.optional().describe('A rate for all actions of each agent.'),
    maxWaiting: z
      .int()
      .min(0)
      .max(CAPS.maxWaiting)
      .optional()
      .describe('How many actions of each agent may wait for a person at one time.'),
    allowedTools: patterns
      .optional()
      .describe('Patterns of tools. A tool must match one. Absent: every tool.'),
    deniedTools: patterns.optional().describe('Patterns of tools that are denied. Deny beats allow.'),
    allowedModels: patterns
      .optional()
      .describe('Patterns of models. A model must match one. Absent: every model.'),
    deniedModels: patterns.optional().describe('Patterns of models that are denied.'),
    allowedProviders: patterns
      .optional()
      .describe('Patterns of providers. A provider must match one. Absent: every provider.'),
    deniedProviders: patterns.optional().describe('Patterns of providers that are denied.'),
    modelPrices: z
      .record(modelName, modelPriceDocument)
      .optional()
      .describe('Prices of models by name: `my-model`, `azure/my-deployment`. They replace the price lists.'),
    defaultTokens: tokensDocument
      .optional()
      .describe('The tokens to assume for an LLM call that does not state them.'),
    tools: z
      .array(toolName)
      .max(CAPS.toolPolicies)
      .optional()
      .describe('The exact names of all tools that exist. Any other name is refused.'),
    defaultChargingPolicy: chargingDocument.optional().describe('How outcomes are charged.'),
    toolPolicies: z
      .record(toolName, toolPolicyDocument)
      .optional()
      .describe('Settings of single tools, by exact name.'),
  })
  .meta({
    title: 'mandate',
    description:
      'The authority that agents hold: budgets, rates, tools, argument rules, expiry. Amounts in dollars.',
  });
export type MandateDocument = z.infer<typeof mandateDocument>;

export const policyDocument = z
  .strictObject({
    ...mandateDocument.omit({ agents: true }).shape,
    /** Without an @, which names a version of it. */
    id: idThat(pathId, /^[^@]*$/, 'must hold no @: an @ comes before a version'),
    delegableTools: patterns
      .optional()
      .describe(
        'Tools that descendants of the agent may be allowed, although the agent may not call them itself.',
      ),
  })
  .meta({
    title: 'policy',
    description:
      'A named piece of authority, which rules give to agents: what a mandate says, but for whose it is.',
  });
export type PolicyDocument = z.infer<typeof policyDocument>;
