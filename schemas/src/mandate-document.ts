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
  maxCalls: z.int().min(0).max(CAPS.rateCalls),
  windowMs: z.int().min(1).max(CAPS.rateWindowMs),
});

export const chargingDocument = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('SUCCESS_BASED') }),
  z.strictObject({ type: z.literal('ATTEMPT_BASED') }),
  z.strictObject({
    type: z.literal('TIERED'),
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
  scope: z.enum(BUDGET_SCOPES),
  max: dollars,
  windowMs: z.int().min(1).max(CAPS.budgetWindowMs).optional(),
});
export type BudgetDocument = z.infer<typeof budgetDocument>;

export const argumentValidationDocument = z.strictObject({
  schema: z.record(z.string(), z.json()).optional(),
  /** Named validators, or one with its parameters: `{ emailDomains: [company.com] }`. */
  validators: z
    .array(z.union([z.string(), z.record(z.string(), z.json())]))
    .max(32)
    .optional(),
});

export const releasesDocument = z.union([
  z.literal('unlimited'),
  z.strictObject({
    calls: z.int().min(0).max(CAPS.releaseCalls),
    percent: z.int().min(0).max(100),
  }),
]);
export type ReleasesDocument = z.infer<typeof releasesDocument>;

export const openDocument = z.union([z.literal('unlimited'), z.int().min(0).max(CAPS.openCalls)]);
export type OpenDocument = z.infer<typeof openDocument>;

const personMs = z.int().min(1_000).max(CAPS.questionMs).optional();

export const toolPolicyDocument = z.strictObject({
  cost: dollars.optional(),
  maxCostPerCall: dollars.optional(),
  maxActualCost: dollars.optional(),
  rateLimit: rateDocument.optional(),
  chargingPolicy: chargingDocument.optional(),
  argumentValidation: argumentValidationDocument.optional(),
  executionLeaseMs: z.int().min(1).max(CAPS.leaseMs).optional(),
  requiresConfirmation: z.boolean().optional(),
  /** How long a question to a person lives at least. */
  questionMs: personMs,
  /** How long a grant lives if the person sets no time. */
  grantMs: personMs,
});
export type ToolPolicyDocument = z.infer<typeof toolPolicyDocument>;

/** What a model costs. Both kinds of tokens are priced, so that none is free because it was forgotten. */
export const modelPriceDocument = z.strictObject({
  inputPerMillion: dollars,
  outputPerMillion: dollars,
  /** The price of each call, whatever its tokens. */
  perCall: dollars.optional(),
});
export type ModelPriceDocument = z.infer<typeof modelPriceDocument>;

/** The tokens to assume for a call that does not state them. */
const tokensDocument = z.strictObject({
  inputTokens: z.int().min(1).optional(),
  maxOutputTokens: z.int().min(0).optional(),
});

export const mandateDocument = z
  .strictObject({
    version: z.literal(1),
    id,
    mode: z.enum(['enforce', 'observe']).optional(),
    agents: patterns.min(1),
    expiresAt: time.optional(),
    maxCostTotal: dollars.optional(),
    maxCostPerCall: dollars.optional(),
    maxActualCost: dollars.optional(),
    maxReleases: releasesDocument.optional(),
    requireEstimate: z.boolean().optional(),
    defaultEstimate: dollars.optional(),
    /** How many calls of each agent may be open at one time. */
    maxOpen: openDocument.optional(),
    budgets: z.array(budgetDocument).max(CAPS.budgetsPerMandate).optional(),
    rateLimit: rateDocument.optional(),
    /** How many deferred actions of an agent may wait for a person at one time. */
    maxWaiting: z.int().min(0).max(CAPS.maxWaiting).optional(),
    allowedTools: patterns.optional(),
    deniedTools: patterns.optional(),
    allowedModels: patterns.optional(),
    deniedModels: patterns.optional(),
    allowedProviders: patterns.optional(),
    deniedProviders: patterns.optional(),
    /** By name, alone or after a provider: `my-model`, `azure/my-deployment`. */
    modelPrices: z.record(modelName, modelPriceDocument).optional(),
    defaultTokens: tokensDocument.optional(),
    tools: z.array(toolName).max(CAPS.toolPolicies).optional(),
    defaultChargingPolicy: chargingDocument.optional(),
    toolPolicies: z.record(toolName, toolPolicyDocument).optional(),
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
    /** What agents below whoever holds it may be allowed besides: it may hand these on, and not call them itself. */
    delegableTools: patterns.optional(),
  })
  .meta({
    title: 'policy',
    description:
      'A named piece of authority, which rules give to agents: what a mandate says, but for whose it is.',
  });
export type PolicyDocument = z.infer<typeof policyDocument>;
