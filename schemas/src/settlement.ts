/** `action.settled`: how an outcome changed the charge. */
import { z } from 'zod';
import { described } from './described.ts';
import { micros, microsDelta } from './money-shapes.ts';
import { toolCalls } from './outcome.ts';
import { count, id, logPosition, tenant, time } from './scalars.ts';
import { SETTLEMENT_CODES, SETTLEMENT_MARKS } from './settlement-codes.ts';
import { tokenUsage } from './token-usage.ts';

/** @param examples of the change and of the charge */
function unitSettled(delta: number, charged: number) {
  return z.object({
    delta: described(z.int(), 'How much the outcome added to the charge. Negative: it gave back.', delta),
    charged: described(count, 'What the action is charged with after this outcome.', charged),
    excess: described(
      count,
      "The reported amount above its cap. Only the agent's own counters are charged with it.",
      0,
    ),
    released: described(
      z.int(),
      'The change of the counter of give-backs. Negative: a success made room.',
      0,
    ),
    overdrawn: described(z.boolean(), 'Whether a counter of the unit is now above its limit.', false),
    releaseRefused: described(
      z.boolean(),
      'Whether the report would have given back more than `maxReleases` allows.',
      false,
    ),
  });
}

export const settlement = z.object({
  id: described(id, 'The id of the settlement.', 'stl_01ke6qxgf1b34d9107f5a24cc10e77b2'),
  kind: described(
    z.enum(['settled', 'repeated', 'unknown', 'not_allowed', 'unremembered']),
    '`settled` changed the charge (perhaps by 0). Every other kind changes nothing.',
  ),
  actionId: described(id, 'The action that was settled.', 'act_7f3a'),
  attempt: described(count, 'The attempt that was settled.', 1),
  tenant: described(tenant, 'The tenant of the agent.', 'default'),
  agentId: described(id, 'The agent that ran the action.', 'airline-007'),
  status: described(z.enum(['success', 'failure', 'cancelled']), 'What the outcome reported.'),
  verified: described(z.boolean().nullable(), 'Whether a check of the result passed. null: none ran.', true),
  actualCostMicros: described(
    micros.nullable(),
    'The reported cost, in micro-dollars. null: none was metered.',
    91_000,
  ),
  usage: described(tokenUsage.optional(), 'The reported tokens. Absent if no tokens were reported.'),
  toolCalls: described(
    toolCalls.optional(),
    'The calls of tools that the answer of the model asks for. Empty if it asks for none. Absent if they were not reported.',
  ),
  usageMicros: described(
    micros.optional(),
    'The cost of the reported tokens by the prices of the decision, in micro-dollars. Absent if the outcome has no usage, or if the usage has no price.',
    20_430,
  ),
  reportedBy: described(
    z.object({
      keyId: described(
        id.nullable(),
        'The public id of the key. null: a producer wrote the outcome to the topic.',
        '7dQ1xYb0aKpL',
      ),
      mayRelease: described(
        z.boolean(),
        'Whether no policy limits what reports of the key give back.',
        false,
      ),
    }),
    'The key that reported it, and whether the key may release.',
  ),
  late: described(z.boolean(), 'Whether the lease of the call had run out before the outcome came.', false),
  deltaMicros: described(
    microsDelta,
    'What the outcome added to the charge, in micro-dollars. Negative: it gave back.',
    -9_000,
  ),
  chargedMicros: described(
    micros,
    'The whole cost of the action after this outcome, in micro-dollars.',
    91_000,
  ),
  cumulativeMicros: described(
    microsDelta,
    'What the agent has spent in its lifetime, in micro-dollars. Negative after an operator gave back more.',
    331_000,
  ),
  excessMicros: described(
    micros,
    "The part of the actual cost above its cap, in micro-dollars. Only the agent's own budgets are charged with it.",
    0,
  ),
  releasedMicros: described(
    microsDelta,
    'The change of the counter of give-backs, in micro-dollars. Negative: a success made room.',
    -18_200,
  ),
  units: described(
    z
      .object({
        tokens: described(unitSettled(-840, 860).optional(), 'The tokens. Absent if none were reserved.'),
        toolCalls: described(
          unitSettled(2, 3).optional(),
          'The calls of tools that the answer asks for. Absent if none were reserved.',
        ),
      })
      .optional(),
    'What the outcome did to the amounts that were reserved in units other than money. Absent if none were reserved, or if the outcome settled nothing.',
  ),
  code: described(z.enum(SETTLEMENT_CODES), 'The first mark, or whether the outcome settled anything.'),
  marks: described(
    z.array(z.enum(SETTLEMENT_MARKS)),
    'What a person should know of it, the most severe first.',
    ['OVERDRAWN'],
  ),
  reason: described(z.string(), 'What happened, as a sentence.', 'The action costs $0.091 in all.'),
  completedAt: described(
    time.nullable(),
    "When the call ended, by the caller's clock. null: the outcome did not say.",
    '2026-01-05T09:30:52.500Z',
  ),
  settledAt: described(time, 'When it was settled, by the clock of the ledger.', '2026-01-05T09:30:53.253Z'),
  source: described(logPosition, 'The log position of the outcome.'),
  ledgerEpoch: described(z.string(), 'The epoch of the ledger that settled.', 'epoch_01kc7d5k0g'),
  ledgerSequence: described(count, 'The number of the step within the tenant.', 331),
});
export type Settlement = z.infer<typeof settlement>;

export const actionSettled = z
  .object({
    event: described(z.literal('action.settled'), 'The kind of the record.'),
    settlement: described(settlement, 'What the outcome did to the charge.'),
  })
  .meta({ title: 'action.settled', description: 'How the outcome of an action changed its charge.' });
export type ActionSettled = z.infer<typeof actionSettled>;
