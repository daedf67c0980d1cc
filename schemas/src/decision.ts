/** `action.decided`: whether the agent may, and why. The record that the ledger can be rebuilt from. */
import { z } from 'zod';
import { actionSnapshot } from './action.ts';
import { ACTION_TYPES } from './action-kinds.ts';
import { CODES, VERDICTS } from './codes.ts';
import { givenPolicy } from './given-policy.ts';
import { budgetLimit, charging, rateLimit, settling } from './limit.ts';
import { micros, microsDelta } from './money-shapes.ts';
import { policyNamed } from './policy-reference.ts';
import { count, id, parsedJson, source, tenant, time } from './scalars.ts';

/** What one check saw and said. `skip`: it does not apply, or the verdict was settled before its turn. */
export const check = z.object({
  check: z.string(),
  result: z.enum(['pass', 'block', 'defer', 'skip']),
  evidence: parsedJson.optional(),
  /** The policy that set the limit, if the mandate has several: `read-only@3`; for an ancestor: `read-only@3 of lead`. */
  policy: z.string().optional(),
  /** The ancestor that holds the policy. Its limits apply to itself and to all its descendants. */
  holder: id.optional(),
});
export type Check = z.infer<typeof check>;

/**
 * `first` and `expired` are the decisions of their action and attempt. A `duplicate` and an `unremembered` decision are not.
 * `unremembered`: the ledger had no room to remember another id of the tenant.
 */
export const DECISION_KINDS = ['first', 'duplicate', 'expired', 'unremembered'] as const;
export type DecisionKind = (typeof DECISION_KINDS)[number];

/** Does a decision of this kind stand for its action and attempt? */
export function standsForAction(kind: string): boolean {
  return kind === 'first' || kind === 'expired';
}

export const mandateReference = z.object({
  id,
  hash: z.string().describe('The digest of the mandate.'),
  rules: z.array(z.string()).describe('The rules that gave its policies.'),
  policies: z.array(z.string()).describe('Its policies, each with its version.'),
  /** Those that rules gave, and which: absent where none did, as for a mandate of a file, and on older records. */
  grantedBy: z.array(givenPolicy).optional(),
});
export type MandateReference = z.infer<typeof mandateReference>;

/**
 * The subject of a budget of scope `mandate`, from the check that saw it: the policy that sets the budget, in any
 * version, or the mandate, if it has no policies.
 *
 * @param mandateId the mandate of the decision; empty if it has none
 */
export function mandateOfBudget({ policy }: Pick<Check, 'policy'>, mandateId: string): string {
  return policy === undefined ? mandateId : policyNamed(policy).id;
}

/** Duties by name: `arguments`, with the arguments that were absent. */
export const obligations = z.record(z.string(), parsedJson);
export type Obligations = z.infer<typeof obligations>;

/** What the ledger did for an ALLOW: every counter it charged, and how the outcome settles it. */
export const reservation = z.object({
  micros: micros.describe('What the ALLOW charged, in micro-dollars.'),
  charging: charging.describe('How an outcome turns it into a cost.'),
  settling: settling.describe('The bounds of the settlement.'),
  budgets: z
    .array(budgetLimit.omit({ otherLimits: true }))
    .describe('The counters of budgets that were charged.'),
  rates: z.array(rateLimit.omit({ otherLimits: true })).describe('The counters of rates that were charged.'),
  leaseMs: count.describe('How long the call may run, in milliseconds.'),
});
export type Reservation = z.infer<typeof reservation>;

/** The slots of a DEFER: each of these rates holds one slot for it. The granted retry takes over these slots. */
export const deferral = z.object({
  rates: z.array(rateLimit.omit({ otherLimits: true })),
  /** The shortest life of the question; `grantMs`: the life of a grant if the person sets no time. Absent: no policy sets it. */
  questionMs: count.optional(),
  grantMs: count.optional(),
});
export type Deferral = z.infer<typeof deferral>;

/** What would have been said, were the mandate enforced. */
export const observed = z.object({
  verdict: z.enum(VERDICTS).describe('The verdict that enforcement would have given.'),
  code: z.enum(CODES).describe('The code that enforcement would have given.'),
});
export type Observed = z.infer<typeof observed>;

export const SHADOW_VERDICTS = [...VERDICTS, 'UNKNOWN'] as const;

/** What would have been said, were the rules in shadow that matched in force. */
export const shadow = z.object({
  verdict: z
    .enum(SHADOW_VERDICTS)
    .describe('What these rules would have decided. UNKNOWN: a counter that only they use is missing.'),
  code: z.enum(CODES).nullable().describe('Why, as a stable code. null: the verdict is UNKNOWN.'),
  unknownLimits: count.describe('How many limits of these rules have no counter.'),
  rules: z.array(z.string()).describe('The rules in shadow that matched.'),
  policies: z.array(z.string()).describe('Their policies, each with its version.'),
});
export type Shadow = z.infer<typeof shadow>;

export const decision = z.object({
  id,
  kind: z
    .enum(DECISION_KINDS)
    .describe('`first` and `expired` decide the action and attempt. `duplicate` and `unremembered` do not.'),
  actionId: id,
  attempt: count.describe('The attempt that was decided.'),
  tenant,
  agentId: id,
  type: z.enum(ACTION_TYPES).describe('What kind of action it is.'),
  tool: id.nullable().describe('The tool of a tool call.'),
  model: id
    .nullable()
    .describe(
      'The normal form of the model: `gpt-4o` for `openai/GPT-4o`. `action.model` has the name as it was given.',
    ),
  provider: id
    .nullable()
    .describe('The normal form of the provider that is called first. null: no LLM call, or none is named.'),
  verdict: z.enum(VERDICTS).describe('ALLOW, BLOCK, or DEFER: a person must confirm.'),
  observed: observed
    .nullable()
    .describe(
      'What enforcement would have decided. null: the mandate is enforced, or would have allowed it too.',
    ),
  shadow: shadow
    .optional()
    .describe('What the matching rules in shadow would have decided. Absent: none matched.'),
  code: z.enum(CODES).describe('Why, as a stable code.'),
  reason: z.string().describe('Why, as a sentence.'),
  remedy: z.string().describe('What to do about it.'),
  final: z.boolean().describe('Whether a retry cannot help.'),
  retryAfterMs: count
    .nullable()
    .describe(
      'After how many milliseconds a retry can pass this limit. null: no retry helps, or none is needed.',
    ),
  chargedMicros: micros.describe('What the decision charged, in micro-dollars.'),
  cumulativeMicros: microsDelta.describe(
    'What the agent has spent in its lifetime, in micro-dollars. Negative after an operator gave back more.',
  ),
  remainingMicros: z
    .int()
    .nullable()
    .describe('The least that any budget has left, in micro-dollars. null: no budget applies.'),
  remainingCalls: z
    .int()
    .nullable()
    .describe('The fewest calls that any rate has left. null: no rate applies.'),
  leaseExpiresAt: time
    .nullable()
    .describe('An allowed call must end before this time. null: nothing was allowed.'),
  mandate: mandateReference.nullable().describe('The mandate that was applied. null: none.'),
  duplicateOf: z
    .object({ decisionId: id, actionId: id, attempt: count, samePayload: z.boolean() })
    .nullable()
    .describe('For a duplicate: the first decision.'),
  requestedAt: time.nullable().describe('When the agent asked, by its own clock.'),
  appendedAt: time.describe('When the log took the request.'),
  decidedAt: time.describe('When it was decided, by the clock of the ledger.'),
  source: source.describe('The log position of the request.'),
  controlRevision: count.describe('The revision of agents, policies and rules that was used.'),
  ledgerEpoch: z.string().describe('The life of the ledger that decided.'),
  ledgerSequence: count.describe('The number of the step within the tenant.'),
  digest: z
    .string()
    .describe('The SHA-256 of the parts of the request that matter. It tells a repeat from another payload.'),
  obligations: obligations
    .optional()
    .describe(
      'What the program that executes the action must do, by name. If it cannot do all of it, it must treat the ALLOW as a BLOCK. Only on an ALLOW.',
    ),
  approvalId: z
    .string()
    .optional()
    .describe('The question to a person. Present on a DEFER, and after an approval expired unused.'),
  reservation: reservation
    .nullable()
    .describe('What was charged, and how an outcome settles it. null: nothing was allowed.'),
  deferral: deferral
    .optional()
    .describe('The slots of rates that the question holds. Present only on a first DEFER.'),
  grantConsumed: z.boolean().describe('Whether this decision used up the approval of a person.'),
  checks: z.array(check).describe('Every check with its evidence and its result.'),
  action: actionSnapshot.describe('The request, redacted.'),
});
export type Decision = z.infer<typeof decision>;

export const actionDecided = z.object({ event: z.literal('action.decided'), decision }).meta({
  title: 'action.decided',
  description: 'Whether the agent may, and why: every check, what it saw and said.',
});
export type ActionDecided = z.infer<typeof actionDecided>;
