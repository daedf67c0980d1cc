/** `action.decided`: whether the agent may act, and why. A ledger can be rebuilt from these records. */
import { z } from 'zod';
import { actionSnapshot } from './action.ts';
import { ACTION_TYPES } from './action-kinds.ts';
import { CODES, VERDICTS } from './codes.ts';
import { described } from './described.ts';
import { givenPolicy } from './given-policy.ts';
import { GOVERNANCE_EVENTS } from './governance-events.ts';
import {
  budgetLimit,
  charging,
  rateLimit,
  settling,
  TURN_COUNTS,
  tokenLimit,
  toolCallLimit,
  type UnitLimit,
  type UnitSettling,
  unitSettling,
} from './limit.ts';
import { micros, microsDelta } from './money-shapes.ts';
import { policyNamed } from './policy-reference.ts';
import { count, id, type Json, logPosition, parsedJson, tenant, time } from './scalars.ts';

/** The result of one check. `skip`: the check does not apply, or an earlier check already determined the verdict. */
export const check = z.object({
  check: described(z.string(), 'The name of the check.', 'tool-rate'),
  result: described(
    z.enum(['pass', 'block', 'defer', 'skip']),
    'What the check found. `skip`: it does not apply, or an earlier check had settled the verdict.',
  ),
  evidence: described(
    parsedJson.optional(),
    'What the check looked at. Each check has its own fields. Absent or null: nothing to show.',
    { calls: 2, maxCalls: 5, windowMs: 3_600_000, retryAfterMs: null },
  ),
  policy: described(
    z.string().optional(),
    'The policy that set the limit: `read-only@3`, or `read-only@3 of lead` for an ancestor. Absent if the policy has no name, as in a mandate file.',
    'read-only@3',
  ),
  ancestor: described(
    id.optional(),
    'The ancestor that holds the policy. Its limits apply to itself and to all its descendants. Absent if the agent itself holds the policy.',
    'airline-lead',
  ),
});
export type Check = z.infer<typeof check>;

/**
 * `first` and `expired` are the decisions of their action and attempt. `duplicate` and `unremembered` are not.
 * `unremembered`: the ledger could not remember another id of the tenant, because its memory was full.
 */
export const DECISION_KINDS = ['first', 'duplicate', 'expired', 'unremembered'] as const;
export type DecisionKind = (typeof DECISION_KINDS)[number];

/** True if a decision of this kind counts as the decision about its action and attempt. */
export function standsForAction(kind: string): boolean {
  return kind === 'first' || kind === 'expired';
}

export const mandateReference = z.object({
  id: described(id, 'The id of the mandate. `rules`: rules gave its policies.', 'support-bot'),
  hash: described(
    z.string(),
    'The SHA-256 of the mandate, in hex.',
    'd917f6c0656db7673eea3c6db8b1a231fa5fce9687a95c8e94de3b404a9dacfa',
  ),
  rules: described(z.array(z.string()), 'The rules that gave its policies.', ['metered']),
  policies: described(z.array(z.string()), 'Its policies, each with its version.', ['metered@1']),
  grantedBy: described(
    z.array(givenPolicy).optional(),
    'Which rules gave each policy. Absent if no rule gave a policy, as for a mandate file.',
  ),
});
export type MandateReference = z.infer<typeof mandateReference>;

/**
 * Returns the subject of a budget of scope `mandate`: the policy that sets the budget, in any version. If the mandate
 * has no policies, returns the mandate.
 *
 * @param mandateId the mandate of the decision; empty if it has none
 */
export function mandateOfBudget({ policy }: Pick<Check, 'policy'>, mandateId: string): string {
  return policy === undefined ? mandateId : policyNamed(policy).id;
}

/** Obligations by name. For example, `arguments` contains the arguments that were absent. */
export const obligations = z.record(z.string(), parsedJson);
export type Obligations = z.infer<typeof obligations>;

/** What the decision changed of the request, for information. Each code has its own fields. */
export const NOTE_CODES = ['TTL_EXCEEDS_MAXIMUM', 'TTL_APPLIED', 'RESULTS_CLAMPED'] as const;
export const note = z.looseObject({
  code: described(z.enum(NOTE_CODES), 'What was changed.'),
});
export type Note = { code: (typeof NOTE_CODES)[number]; [field: string]: Json };

export const originViolation = z.object({
  rule: described(z.string(), 'What the model must not choose.', 'select_store'),
  field: described(z.string(), 'The field that the model chose.', 'stores'),
});
export type OriginViolation = z.infer<typeof originViolation>;

/** The changes of the ledger for an ALLOW: the charged counters, and how the outcome settles the charge. */
function reservedIn<L extends z.ZodType>(limit: L, example: number) {
  return z.object({
    reserved: described(count, 'The amount that the ALLOW charged.', example),
    settling: described(unitSettling, 'How an outcome settles it.'),
    limits: described(z.array(limit), 'The counters that were charged.'),
  });
}

export const reservation = z.object({
  micros: described(micros, 'What the ALLOW charged, in micro-dollars.', 100_000),
  charging: described(charging, 'How an outcome turns it into a cost.'),
  settling: described(settling, 'The limits of the settlement.'),
  budgets: described(
    z.array(budgetLimit.omit({ otherLimits: true })),
    'The counters of budgets that were charged.',
  ),
  rates: described(
    z.array(rateLimit.omit({ otherLimits: true })),
    'The counters of rates that were charged.',
  ),
  units: described(
    z
      .object({
        tokens: described(
          reservedIn(tokenLimit.omit({ otherLimits: true }), 1_700).optional(),
          'The tokens. Absent if no policy limits tokens.',
        ),
        toolCalls: described(
          reservedIn(toolCallLimit.omit({ otherLimits: true }), 1).optional(),
          'The calls of tools that the answer may ask for. Absent if no policy limits them.',
        ),
      })
      .optional(),
    'What was reserved in units other than money. Absent if no policy limits such a unit, or if the action is no LLM call.',
  ),
  leaseMs: described(count, 'How long the call may run, in milliseconds.', 30_000),
  opensTurn: described(
    z
      .object({
        intent: described(id.nullable(), 'The intent of the turn. null: the prompt has none.', 'chat'),
        person: described(z.string(), 'The person of the turn, as id and role.', 'u1 user'),
      })
      .optional(),
    'The turn that the prompt opened. Absent for other actions.',
  ),
  turn: described(
    z
      .object({
        agentId: described(id, 'The agent that opened the turn.', 'tutor'),
        id: described(id, 'The prompt that opened the turn.', 'act_7e00'),
        openedAtMs: described(
          count,
          'When the turn was opened, in milliseconds since 1970. A later turn of the same prompt has another time.',
          1_767_605_441_004,
        ),
        counts: described(z.enum(TURN_COUNTS), 'Which count of the turn the call raised.'),
      })
      .optional(),
    'The turn in which the call was counted. Absent if it was counted in none.',
  ),
});
export type Reservation = z.infer<typeof reservation>;
/** What was reserved in one unit. */
export type UnitReservation = {
  reserved: number;
  settling: UnitSettling;
  limits: Omit<UnitLimit, 'otherLimits'>[];
};

/**
 * The calls that a DEFER reserves in rates: one call in each of these rates, for the question. The approved retry
 * uses these reserved calls.
 */
export const deferral = z.object({
  rates: described(
    z.array(rateLimit.omit({ otherLimits: true })),
    'The rates in which the question holds a slot.',
  ),
  questionMs: described(
    count.optional(),
    'The shortest life of the question, in milliseconds. Absent if no policy sets this time.',
    3_600_000,
  ),
  grantMs: described(
    count.optional(),
    'How long an approval is valid if the person sets no time, in milliseconds. Absent if no policy sets this time.',
    300_000,
  ),
});
export type Deferral = z.infer<typeof deferral>;

/** The verdict as if the mandate were enforced, for a mandate that only observes. */
export const observed = z.object({
  verdict: described(z.enum(VERDICTS), 'The verdict that enforcement would have given.'),
  code: described(z.enum(CODES), 'The code that enforcement would have given.'),
});
export type Observed = z.infer<typeof observed>;

export const SHADOW_VERDICTS = [...VERDICTS, 'UNKNOWN'] as const;

/** The verdict as if the matching rules in shadow were in force. */
export const shadow = z.object({
  verdict: described(
    z.enum(SHADOW_VERDICTS),
    'What these rules would have decided. UNKNOWN: a counter that only they use is missing.',
  ),
  code: described(z.enum(CODES).nullable(), 'Why, as a stable code. null: the verdict is UNKNOWN.'),
  unknownLimits: described(count, 'How many limits of these rules have no counter.', 0),
  rules: described(z.array(z.string()), 'The rules in shadow that matched.', ['no-certificates']),
  policies: described(z.array(z.string()), 'Their policies, each with its version.', ['read-only@3']),
});
export type Shadow = z.infer<typeof shadow>;

export const decision = z.object({
  id: described(id, 'The id of the decision.', 'dec_01ke6qx4f8c6ede247811a2d78f78a'),
  kind: described(
    z.enum(DECISION_KINDS),
    '`first` and `expired` decide the action and attempt. `duplicate` and `unremembered` do not.',
  ),
  actionId: described(id, 'The action that was decided.', 'act_7f3a'),
  attempt: described(count, 'The attempt that was decided.', 1),
  tenant: described(tenant, 'The tenant of the agent.', 'default'),
  agentId: described(id, 'The agent that asked.', 'airline-007'),
  type: described(z.enum(ACTION_TYPES), 'What kind of action it is.'),
  tool: described(
    id.nullable(),
    'The tool of a tool call. null: another kind of action.',
    'send_certificate',
  ),
  model: described(
    id.nullable(),
    'The normal form of the model: `gpt-4o` for `openai/GPT-4o`. `action.model` has the name as it was given. null: no LLM call.',
    'claude-sonnet-4-5',
  ),
  provider: described(
    id.nullable(),
    'The normal form of the provider that is called first. null: no LLM call, or none is named.',
    'anthropic',
  ),
  verdict: described(z.enum(VERDICTS), 'ALLOW, BLOCK, or DEFER: a person must confirm.'),
  observed: described(
    observed.nullable(),
    'What enforcement would have decided. null: the mandate is enforced, or would have allowed it too.',
  ),
  shadow: described(
    shadow.optional(),
    'The decision as if the matching rules in shadow were enforced. Absent if no rule in shadow matched.',
  ),
  code: described(z.enum(CODES), 'Why, as a stable code.'),
  reason: described(z.string(), 'Why, as a sentence.', 'Every check passed.'),
  remedy: described(
    z.string(),
    'What to do about it.',
    'Go ahead, and report the outcome (action.completed).',
  ),
  final: described(z.boolean(), 'Whether the refusal is final: a retry cannot help.', false),
  retryAfterMs: described(
    count.nullable(),
    'After how many milliseconds a retry can pass this limit. null: no retry helps, or none is needed.',
    60_000,
  ),
  chargedMicros: described(micros, 'What the decision charged, in micro-dollars.', 100_000),
  cumulativeMicros: described(
    microsDelta,
    'What the agent has spent in its lifetime, in micro-dollars. Negative after an operator gave back more.',
    340_000,
  ),
  remainingMicros: described(
    z.int().nullable(),
    'The least that any budget has left, in micro-dollars. null: no budget applies.',
    9_660_000,
  ),
  remainingTokens: described(
    z.int().optional(),
    'The fewest tokens that any limit has left. Absent if no limit on tokens was checked.',
    82_300,
  ),
  remainingToolCalls: described(
    z.int().optional(),
    'The fewest calls of tools that any limit on answers has left. Absent if no such limit was checked.',
    12,
  ),
  remainingCalls: described(
    z.int().nullable(),
    'The fewest calls that any rate has left. null: no rate applies.',
    2,
  ),
  leaseExpiresAt: described(
    time.nullable(),
    'An allowed call must end before this time. null: nothing was allowed.',
    '2026-01-05T09:31:11.004Z',
  ),
  mandate: described(
    mandateReference.nullable(),
    'The mandate that was applied. null: no mandate was found.',
  ),
  duplicateOf: described(
    z
      .object({
        decisionId: described(
          id,
          'The first decision on the action and attempt.',
          'dec_01ke6qx4f8c6ede247811a2d78f78a',
        ),
        actionId: described(id, 'The action of that decision.', 'act_7f3a'),
        attempt: described(count, 'The attempt of that decision.', 1),
        verdict: described(z.enum(VERDICTS), 'The verdict of that decision.', 'ALLOW'),
        code: described(z.enum(CODES), 'The code of that decision.', 'ALLOWED'),
        samePayload: described(
          z.boolean(),
          'Whether both requests are equal in every part that matters.',
          true,
        ),
      })
      .nullable(),
    'For a duplicate: the first decision. null: this is no duplicate.',
  ),
  requestedAt: described(
    time.nullable(),
    'When the agent asked, by its own clock. null: the request did not say.',
    '2026-01-05T09:29:59.980Z',
  ),
  appendedAt: described(time, 'When the log took the request.', '2026-01-05T09:30:41.000Z'),
  decidedAt: described(time, 'When it was decided, by the clock of the ledger.', '2026-01-05T09:30:41.004Z'),
  source: described(logPosition, 'The log position of the request.'),
  controlRevision: described(count, 'The revision of agents, policies and rules that was used.', 17),
  ledgerEpoch: described(z.string(), 'The epoch of the ledger that decided.', 'epoch_01kc7d5k0g'),
  ledgerSequence: described(count, 'The number of the step within the tenant.', 311),
  digest: described(
    z.string(),
    'The SHA-256 of the parts of the request that matter. It shows whether a repeat asks for the same action.',
    '0548311f0af70384682650c338e1800cf4da955146ea7d7f34b0c2a1e9ba1d25',
  ),
  obligations: described(
    obligations.optional(),
    'What the program that executes the action must do, by name. If it cannot do all of it, it must treat the ALLOW as a BLOCK. Only on an ALLOW.',
    { arguments: { absent: ['bcc'] } },
  ),
  notes: described(
    z.array(note).optional(),
    'What the decision changed of the request. It is information, and never a reason to stop.',
    [{ code: 'RESULTS_CLAMPED', store: 'episodic', asked: 100, given: 5 }],
  ),
  violations: described(
    z.array(originViolation).optional(),
    'What a model chose that it must not choose. Absent: nothing.',
  ),
  events: described(
    z.array(z.enum(GOVERNANCE_EVENTS)).optional(),
    'The events that the policies mark on decisions (`log_events`). Absent: none.',
    ['tool_invocation'],
  ),
  approvalId: described(
    z.string().optional(),
    'The id of the question to a person. Present on a DEFER, and after an approval expired unused.',
    'apr_01ke6qxba079817457defc4972b9f9',
  ),
  reservation: described(
    reservation.nullable(),
    'What was charged, and how an outcome settles it. null: nothing was allowed.',
  ),
  deferral: described(
    deferral.optional(),
    'The slots of rates that the question holds. Present only on a first DEFER.',
  ),
  grantConsumed: described(z.boolean(), 'Whether this decision used up the approval of a person.', false),
  checks: described(z.array(check), 'Every check with its evidence and its result.'),
  action: described(actionSnapshot, 'The request, redacted.'),
});
export type Decision = z.infer<typeof decision>;

export const actionDecided = z
  .object({
    event: described(z.literal('action.decided'), 'The kind of the record.'),
    decision: described(decision, 'The decision.'),
  })
  .meta({
    title: 'action.decided',
    description: 'Whether the agent may do the action, and why: the evidence and the result of every check.',
  });
export type ActionDecided = z.infer<typeof actionDecided>;
