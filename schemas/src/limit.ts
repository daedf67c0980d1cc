/**
 * A limit that the ledger holds a counter for. Counters belong to what is named here (scope, subject, budget id, window;
 * or agent, tool, window), never to an issued mandate: issuing a mandate again resets nothing.
 */
import { z } from 'zod';
import { BUDGET_SCOPES, OPEN_CALLS } from './counter-names.ts';
import { micros } from './money-shapes.ts';
import { count, id } from './scalars.ts';

/** The policy that sets the limit, where a mandate has several. */
const policy = z
  .string()
  .optional()
  .describe('The version of the policy that sets it. Absent: the mandate of a file.');
/** The ancestor that holds the policy. Its counter is used if each agent has its own. */
const holder = id.optional();
/** A policy that limits the same counter, and no more strictly. No `policy`: the mandate of a file. */
const other = z.object({ policy: z.string().exactOptional(), holder: id.exactOptional() });

export const budgetLimit = z.object({
  kind: z.literal('budget').describe('A limit on money.'),
  scope: z.enum(BUDGET_SCOPES).describe('Who shares the counter.'),
  /** The agent, principal or mandate of the budget; empty for a tenant's budget, and for actions without a principal. */
  subject: z
    .string()
    .describe('The agent, principal or mandate of the budget. Empty: the tenant, or no principal.'),
  id,
  windowMs: count.nullable().describe('The length of the window, in milliseconds. null: it never resets.'),
  /** null: counted, not limited. */
  maxMicros: micros
    .nullable()
    .describe('The most that may be spent, in micro-dollars. null: counted, not limited.'),
  policy,
  holder,
  /** What others say of this counter, in the order of the policies; absent: none says anything. Nothing is judged by it. */
  otherLimits: z.array(other.extend({ maxMicros: micros })).optional(),
});
export type BudgetLimit = z.infer<typeof budgetLimit>;

export const rateLimit = z.object({
  kind: z.literal('rate').describe('A limit on calls.'),
  agentId: id,
  /** null: all calls of the agent. `OPEN_CALLS`: those that are open. Otherwise the calls of this tool. */
  tool: id
    .or(z.literal(OPEN_CALLS))
    .nullable()
    .describe('The tool whose calls count. null: all calls. Empty: calls that are open.'),
  windowMs: count.describe('The length of the window, in milliseconds.'),
  maxCalls: count.describe('The most calls in any window.'),
  policy,
  holder,
  otherLimits: z.array(other.extend({ maxCalls: count })).optional(),
});
export type RateLimit = z.infer<typeof rateLimit>;

export const confirmationLimit = z.object({
  kind: z.literal('confirmation').describe('A person must confirm.'),
  /** How many questions of the agent may wait for a person at one time. One more is blocked. */
  maxWaiting: count,
  /** How long the question lives at least; absent: as long as ids are remembered. */
  questionMs: count.optional(),
  /** How long a grant lives if the person does not say. */
  grantMs: count.optional(),
  policy,
  holder,
  /** Others that ask for a person. */
  otherLimits: z.array(other).optional(),
});

export const limit = z.discriminatedUnion('kind', [budgetLimit, rateLimit, confirmationLimit]);
export type Limit = z.infer<typeof limit>;

/** How a charge is settled: the three columns of the table in docs/semantics.md section 4, and what several of them come to. */
export const charging = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('SUCCESS_BASED').describe('A failure costs nothing, unless its cost was metered.'),
    estimateMicros: micros,
  }),
  z.object({
    type: z.literal('ATTEMPT_BASED').describe('A failure costs as much as a success.'),
    estimateMicros: micros,
  }),
  z.object({
    type: z.literal('TIERED').describe('Fixed amounts for an attempt, a success and a verification.'),
    attemptMicros: micros,
    successMicros: micros,
    verificationMicros: micros,
  }),
  /** What several policies keep, where none of them keeps the most of every outcome: at least so much, or what was metered. */
  z.object({
    type: z.literal('COMPOSED').describe('For each outcome the most that one of several policies charges.'),
    failedMicros: micros,
    /** The cost of a success without a verification. */
    succeededMicros: micros,
    /** The cost of a success that was verified. */
    verifiedMicros: micros,
    /** The cost of a success without a metered cost. */
    estimateMicros: micros,
  }),
]);
export type Charging = z.infer<typeof charging>;

/** The bounds of a settlement beside its charging table. If policies differ, each figure is the one that charges more. */
export const settling = z.object({
  /** The least that a success costs, for every reporter: the price that a policy sets. */
  leastMicros: micros,
  /**
   * The least that a success costs by the agent's own report. It also counts a policy's estimate, or the price of a model's
   * input.
   */
  ownLeastMicros: micros,
  /** The cap on the charge for an actual cost. The part above the cap is excess. */
  mostMicros: micros,
  /** An actual cost above this is marked; null: no policy has a `maxCostPerCall`. */
  markMicros: micros.nullable(),
  /**
   * How much the agent's own reports of failures may have given back in all, after this report. Each success makes room
   * again: `percent` of its cost. null: no bound.
   */
  releases: z.object({ micros, percent: count }).nullable(),
  /** The ALLOW holds a slot of the agent's open calls until an outcome settles it. */
  open: z.boolean(),
});
export type Settling = z.infer<typeof settling>;
