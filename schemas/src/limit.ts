/**
 * A limit with a counter in the ledger. A counter belongs to a scope, subject, budget id, window and unit, or to an
 * agent, tool and window. It never belongs to a grant, so a new grant resets no counter.
 */
import { z } from 'zod';
import { BUDGET_SCOPES, type CounterUnit, OPEN_CALLS, UNIT_NAMES } from './counter-names.ts';
import { described } from './described.ts';
import { micros } from './money-shapes.ts';
import { count, id } from './scalars.ts';
import { tokenPrice } from './token-price.ts';

/** The owner of the counter of a person. See `personCounter`. */
const PERSON = /^ [^\s]*$/;

const policy = described(
  z.string().optional(),
  'The version of the policy that sets the limit. Absent if the limit comes from a mandate file.',
  'metered@1',
);
const ancestor = described(
  id.optional(),
  'The ancestor that holds the policy. A budget or rate then uses the counter of the ancestor. Absent if the agent itself holds the policy.',
  'airline-lead',
);
/**
 * Another limit on the same counter, equal or less strict. Without `policy`, the limit is from the mandate of a file.
 */
const other = z.object({
  policy: described(
    z.string().exactOptional(),
    'The version of the policy that sets the other limit. Absent if the limit comes from a mandate file.',
    'tiers@4',
  ),
  ancestor: described(
    id.exactOptional(),
    'The ancestor that holds that policy. Absent if the agent itself holds the policy.',
    'airline-lead',
  ),
});

export const budgetLimit = z.object({
  kind: described(z.literal('budget'), 'A limit on money.'),
  scope: described(z.enum(BUDGET_SCOPES), 'Who shares the counter.'),
  subject: described(
    z.string(),
    'The agent, principal or mandate that the budget counts for. Empty: the tenant, or no principal.',
    'airline-007',
  ),
  id: described(id, 'The id of the budget. `total`: the lifetime budget `maxCostTotal`.', 'total'),
  windowMs: described(
    count.nullable(),
    'The length of the window, in milliseconds. null: it never resets.',
    86_400_000,
  ),
  maxMicros: described(
    micros.nullable(),
    'The most that may be spent, in micro-dollars. null: counted, not limited.',
    10_000_000,
  ),
  policy,
  ancestor,
  otherLimits: described(
    z
      .array(other.extend({ maxMicros: described(micros, 'The other limit, in micro-dollars.', 20_000_000) }))
      .optional(),
    'Limits of other policies on the same counter. No other limit is stricter. For people only. Absent if there is no other limit.',
  ),
});
export type BudgetLimit = z.infer<typeof budgetLimit>;

/** A limit in a unit other than money. The fields are the same for each unit. */
function limitInUnit<Unit extends CounterUnit>(
  unit: Unit,
  says: { kind: string; most: string; example: number },
) {
  return z.object({
    kind: described(z.literal(unit), says.kind),
    scope: described(z.enum(BUDGET_SCOPES), 'Who shares the counter.'),
    subject: described(
      z.string(),
      'The agent, principal or mandate that the limit counts for. Empty: the tenant, or no principal.',
      'assistant-1',
    ),
    id: described(
      id,
      `The id of the limit in \`${UNIT_NAMES[unit].perWindow}\`. \`total\`: the lifetime limit \`${UNIT_NAMES[unit].total}\`.`,
      'total',
    ),
    windowMs: described(
      count.nullable(),
      'The length of the window, in milliseconds. null: it never resets.',
      60_000,
    ),
    most: described(count, says.most, says.example),
    policy,
    ancestor,
    otherLimits: described(
      z
        .array(
          other.extend({ most: described(count, 'The other limit, in the same unit.', 2 * says.example) }),
        )
        .optional(),
      'Limits of other policies on the same counter. No other limit is stricter. For people only. Absent if there is no other limit.',
    ),
  });
}

export const tokenLimit = limitInUnit('tokens', {
  kind: 'A limit on the tokens of LLM calls.',
  most: 'The most tokens that may be used, of input and output together.',
  example: 100_000,
});
export const toolCallLimit = limitInUnit('toolCalls', {
  kind: 'A limit on the calls of tools that answers of models ask for.',
  most: 'The most calls of tools that answers may ask for. The answer that crosses the limit is let through.',
  example: 50,
});
/** A limit in a unit other than money. `kind` is the unit. */
export type UnitLimit = Omit<z.infer<typeof tokenLimit>, 'kind'> & { kind: CounterUnit };

export const rateLimit = z.object({
  kind: described(z.literal('rate'), 'A limit on calls.'),
  scope: described(
    z.literal('principal').exactOptional(),
    'The calls of each person count, whichever agent calls. Absent: the calls of each agent.',
  ),
  agentId: described(
    id.or(z.string().regex(PERSON)),
    'The agent that the rate counts for. For scope `principal`: a blank and the id of the person.',
    'airline-007',
  ),
  tool: described(
    id.or(z.literal(OPEN_CALLS)).nullable(),
    'The tool whose calls count. null: all calls. Empty: calls that are open.',
    'send_certificate',
  ),
  windowMs: described(count, 'The length of the window, in milliseconds.', 3_600_000),
  maxCalls: described(count, 'The maximum number of calls in any window.', 5),
  policy,
  ancestor,
  otherLimits: described(
    z.array(other.extend({ maxCalls: described(count, 'The other limit, in calls.', 10) })).optional(),
    'Limits of other policies on the same counter. No other limit is stricter. For people only. Absent if there is no other limit.',
  ),
});
export type RateLimit = z.infer<typeof rateLimit>;

export const confirmationLimit = z.object({
  kind: described(z.literal('confirmation'), 'A person must confirm.'),
  maxWaiting: described(
    count,
    'How many questions of the agent may wait for a person at one time. One more is blocked.',
    50,
  ),
  questionMs: described(
    count.optional(),
    'How long the question lives at least, in milliseconds. Default: as long as ids are remembered.',
    3_600_000,
  ),
  grantMs: described(
    count.optional(),
    'How long an approval is valid if the person sets no time, in milliseconds. Absent if no policy sets this time.',
    300_000,
  ),
  policy: described(
    policy,
    'The version of the policy that sets the limit. Absent if the limit comes from a mandate file.',
    'refunds@1',
  ),
  ancestor,
  hinted: described(
    z.literal(true).optional(),
    'No policy requires the approval: the server of the tool says that the tool is destructive. Absent otherwise.',
  ),
  otherLimits: described(
    z.array(other).optional(),
    'Other policies that require an approval. For people only. Absent if no other policy requires an approval.',
  ),
});

/** The kinds of calls that a turn counts. */
export const TURN_COUNTS = ['tool', 'model'] as const;

export const turnLimit = z.object({
  kind: described(z.literal('turn'), 'The call must belong to a turn, and the turn must allow it.'),
  turnId: described(id.nullable(), 'The prompt that opened the turn. null: the call names none.', 'act_7e00'),
  agents: described(
    z.array(id).readonly(),
    'The agent, then its ancestors. One of them must have opened the turn.',
    ['tutor'],
  ),
  person: described(
    z.string().nullable(),
    'The person for whom the call is, as `personOfTurn` writes it. null: the person does not matter.',
    'u1 user',
  ),
  counts: described(z.enum(TURN_COUNTS).nullable(), 'Which calls of the turn `maxCalls` limits. null: none.'),
  maxCalls: described(count.nullable(), 'The most such calls in the turn. null: no limit.', 3),
  timeoutMs: described(count.nullable(), 'How long the turn lasts, in milliseconds. null: no limit.', 60_000),
  intents: described(
    z.array(id).readonly().nullable(),
    'The intents of turns in which the call is allowed. null: all.',
    ['create_flashcards'],
  ),
  asked: described(z.array(id).readonly(), 'The tool, or the stores that the call names. For people only.', [
    'create_study_flashcards',
  ]),
  policy,
  ancestor,
  otherLimits: described(
    z.array(other).optional(),
    'Always absent, because each policy has a limit of its own.',
  ),
});
export type TurnLimit = z.infer<typeof turnLimit>;

export const limit = z.discriminatedUnion('kind', [
  budgetLimit,
  tokenLimit,
  toolCallLimit,
  rateLimit,
  confirmationLimit,
  turnLimit,
]);
export type Limit = Exclude<z.infer<typeof limit>, { kind: CounterUnit }> | UnitLimit;

/**
 * How a charge is settled: by one of the three columns of the table in docs/semantics.md, section 4, or by a
 * combination of several columns.
 */
export const charging = z.discriminatedUnion('type', [
  z.object({
    type: described(z.literal('SUCCESS_BASED'), 'A failure costs nothing, unless its cost was metered.'),
    estimateMicros: described(
      micros,
      'The cost of a success without a metered cost, in micro-dollars.',
      100_000,
    ),
  }),
  z.object({
    type: described(z.literal('ATTEMPT_BASED'), 'A failure costs as much as a success.'),
    estimateMicros: described(
      micros,
      'The cost of a call without a metered cost, in micro-dollars.',
      100_000,
    ),
  }),
  z.object({
    type: described(z.literal('TIERED'), 'Fixed amounts for an attempt, a success and a verification.'),
    attemptMicros: described(micros, 'The cost of every attempt, in micro-dollars.', 10_000),
    successMicros: described(micros, 'What a success costs on top, in micro-dollars.', 20_000),
    verificationMicros: described(
      micros,
      'What a passed verification costs on top, in micro-dollars.',
      5_000,
    ),
  }),
  /**
   * The combination of several policies, if no single policy charges the most for every outcome. These amounts are
   * charged, or the metered cost if it is higher.
   */
  z.object({
    type: described(z.literal('COMPOSED'), 'For each outcome, the highest charge of several policies.'),
    failedMicros: described(micros, 'The cost of a failure, in micro-dollars.', 70_000),
    succeededMicros: described(
      micros,
      'The cost of a success without a verification, in micro-dollars.',
      80_000,
    ),
    verifiedMicros: described(micros, 'The cost of a success that was verified, in micro-dollars.', 90_000),
    estimateMicros: described(
      micros,
      'The cost of a success without a metered cost, in micro-dollars.',
      100_000,
    ),
  }),
]);
export type Charging = z.infer<typeof charging>;

/**
 * The limits of a settlement, in addition to its charging table. If policies differ, the limit that leads to the
 * higher charge counts.
 */
export const settling = z.object({
  leastMicros: described(
    micros,
    'The least that a success costs, for every reporter, in micro-dollars. A price of a policy sets it.',
    0,
  ),
  ownLeastMicros: described(
    micros,
    "The least that a success costs by the agent's own report, in micro-dollars. Estimates of a policy and the price of a model's input count too.",
    0,
  ),
  mostMicros: described(
    micros,
    'The cap on the charge for an actual cost, in micro-dollars. The part above the cap is excess.',
    1_000_000,
  ),
  markMicros: described(
    micros.nullable(),
    'An actual cost above this amount is marked, in micro-dollars. null: no policy has a `maxCostPerCall`.',
    500_000,
  ),
  releases: described(
    z
      .object({
        micros: described(
          micros,
          'The most that such reports may have given back in all after this report, in micro-dollars.',
          1_000_000,
        ),
        percent: described(
          count,
          'By how much each success raises what may still be given back, in percent of its cost.',
          20,
        ),
      })
      .nullable(),
    "How much the agent's own reports of failures may give back. null: no bound.",
  ),
  open: described(
    z.boolean(),
    "Whether the ALLOW holds a slot of the agent's open calls until an outcome settles it.",
    false,
  ),
  tokenPrices: described(
    z.array(tokenPrice).readonly().optional(),
    'The prices of the tokens of an LLM call. If several prices apply to its usage, the highest amount counts. Absent if no policy prices the tokens.',
  ),
});
export type Settling = z.infer<typeof settling>;

/**
 * How an outcome settles what an ALLOW reserved in a unit. The rules are those of money: the charging table, a cap, and
 * a bound on what the agent's own reports give back. If policies differ, the rule that charges more counts.
 */
export const unitSettling = z.object({
  charging: described(
    z.enum(['SUCCESS_BASED', 'ATTEMPT_BASED']),
    'What a failure charges. `SUCCESS_BASED`: the reported amount only. `ATTEMPT_BASED`: as much as a success.',
  ),
  most: described(
    count,
    'How much of the reported amount is charged to counters that agents share. The rest is excess.',
    17_000,
  ),
  releases: described(
    z
      .object({
        amount: described(
          count,
          'The most that such reports may have given back in all after this report.',
          17_000,
        ),
        percent: described(
          count,
          'By how much each success raises what may still be given back, in percent of its charge.',
          20,
        ),
      })
      .nullable(),
    "How much the agent's own reports of failures may give back. null: no bound.",
  ),
});
export type UnitSettling = z.infer<typeof unitSettling>;
