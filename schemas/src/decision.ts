/** `action.decided`: whether the agent may, and why. The record that the ledger can be rebuilt from. */
import { z } from 'zod';
import { actionSnapshot } from './action.ts';
import { CODES, VERDICTS } from './codes.ts';
import { givenPolicy } from './given-policy.ts';
import { budgetLimit, charging, rateLimit, settling } from './limit.ts';
import { micros, microsDelta } from './money-shapes.ts';
import { policyNamed } from './policy-reference.ts';
import { count, id, parsedJson, source, tenant, time } from './scalars.ts';

/** What one check saw and said. `skip`: it does not apply, or the verdict was settled before its turn. */
export const check = z.object({
  check: z.string(),
  said: z.enum(['pass', 'block', 'defer', 'skip']),
  saw: parsedJson.optional(),
  /** Whose bound it was, where a mandate has several policies: `read-only@3`; of an agent above: `read-only@3 of lead`. */
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
  hash: z.string(),
  rules: z.array(z.string()),
  policies: z.array(z.string()),
  /** Those that rules gave, and which: absent where none did, as for a mandate of a file, and on older records. */
  given: z.array(givenPolicy).optional(),
});
export type MandateReference = z.infer<typeof mandateReference>;

/**
 * Whose a budget of scope `mandate` is, by the check that saw it: of the policy that sets it, in whichever version, or of
 * the mandate, where that has no policies.
 *
 * @param mandateId of the decision; empty where it has none
 */
export function mandateOfBudget({ policy }: Pick<Check, 'policy'>, mandateId: string): string {
  return policy === undefined ? mandateId : policyNamed(policy).id;
}

/** What the ledger did for an ALLOW: every counter it charged, and how the outcome settles it. */
export const reservation = z.object({
  micros,
  charging,
  settling,
  /** What other policies say of them stands with the checks. */
  budgets: z.array(budgetLimit.omit({ also: true })),
  rates: z.array(rateLimit.omit({ also: true })),
  leaseMs: count,
});
export type Reservation = z.infer<typeof reservation>;

/** The slots of a DEFER: each of these rates holds one slot for it. The granted retry takes over these slots. */
export const deferral = z.object({
  rates: z.array(rateLimit.omit({ also: true })),
  /** The shortest life of the question; `grantMs`: the life of a grant if the person sets no time. Absent: no policy sets it. */
  questionMs: count.optional(),
  grantMs: count.optional(),
});
export type Deferral = z.infer<typeof deferral>;

/** What would have been said, were the mandate enforced. */
export const observed = z.object({ verdict: z.enum(VERDICTS), code: z.enum(CODES) });
export type Observed = z.infer<typeof observed>;

export const SHADOW_VERDICTS = [...VERDICTS, 'UNKNOWN'] as const;

/** What would have been said, were the rules in shadow that matched in force. */
export const shadow = z.object({
  verdict: z.enum(SHADOW_VERDICTS),
  /** null where the verdict is UNKNOWN. */
  code: z.enum(CODES).nullable(),
  /** Limits that only these rules set: what their counters would hold is not known. */
  unknownLimits: count,
  rules: z.array(z.string()),
  policies: z.array(z.string()),
});
export type Shadow = z.infer<typeof shadow>;

export const decision = z.object({
  id,
  kind: z.enum(DECISION_KINDS),
  actionId: id,
  attempt: count,
  tenant,
  agentId: id,
  type: z.enum(['tool_call', 'llm_call']),
  tool: id.nullable(),
  /**
   * The normal form of the model of an LLM call: `gpt-4o` for `openai/GPT-4o`. `action` has the name as the agent gave it.
   */
  model: id.nullable(),
  /** The normal form of the provider that is called first. null: no LLM call, or no provider is named. */
  provider: id.nullable(),
  verdict: z.enum(VERDICTS),
  /** null if the mandate is enforced, or would have allowed the action too. */
  observed: observed.nullable(),
  /** Present only if a rule in shadow matched and the mandate was evaluated. */
  shadow: shadow.optional(),
  code: z.enum(CODES),
  reason: z.string(),
  remedy: z.string(),
  /** Asking again cannot help. */
  hard: z.boolean(),
  retryAfterMs: count.nullable(),
  chargedMicros: micros,
  /** The agent's lifetime spend; negative once an operator gave back more than was spent. */
  cumulativeMicros: microsDelta,
  /** The least that any budget in force has left; null without one. */
  remainingMicros: z.int().nullable(),
  remainingCalls: z.int().nullable(),
  leaseExpiresAt: time.nullable(),
  mandate: mandateReference.nullable(),
  /** For a duplicate: the first decision. */
  duplicateOf: z
    .object({ decisionId: id, actionId: id, attempt: count, samePayload: z.boolean() })
    .nullable(),
  requestedAt: time.nullable(),
  appendedAt: time,
  decidedAt: time,
  source,
  controlRevision: count,
  ledgerEpoch: z.string(),
  ledgerSequence: count,
  digest: z.string(),
  /** The question to a person. Present on a DEFER, and on a decision after the answer expired unused. */
  approvalId: z.string().optional(),
  reservation: reservation.nullable(),
  /** Present only on a first DEFER. */
  deferral: deferral.optional(),
  /** A person's grant was used up by this decision. */
  grantConsumed: z.boolean(),
  checks: z.array(check),
  /** The request, redacted. */
  action: actionSnapshot,
});
export type Decision = z.infer<typeof decision>;

export const actionDecided = z.object({ event: z.literal('action.decided'), decision }).meta({
  title: 'action.decided',
  description: 'Whether the agent may, and why: every check, what it saw and said.',
});
export type ActionDecided = z.infer<typeof actionDecided>;
