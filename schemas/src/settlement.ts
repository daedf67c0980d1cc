/** `action.settled`: what an outcome did to the charge. */
import { z } from 'zod';
import { micros, microsDelta } from './money-shapes.ts';
import { count, id, source, tenant, time } from './scalars.ts';
import { SETTLEMENT_CODES, SETTLEMENT_MARKS } from './settlement-codes.ts';

export const settlement = z.object({
  id,
  kind: z
    .enum(['settled', 'repeated', 'unknown', 'not_allowed', 'unremembered'])
    .describe('`settled` changed the charge (perhaps by 0). Every other kind changes nothing.'),
  actionId: id.describe('The action that was settled.'),
  attempt: count.describe('Its attempt.'),
  tenant,
  agentId: id,
  status: z.enum(['success', 'failure', 'cancelled']).describe('What the outcome reported.'),
  verified: z.boolean().nullable().describe('Whether a check of the result passed. null: none ran.'),
  actualCostMicros: micros
    .nullable()
    .describe('The reported cost, in micro-dollars. null: none was metered.'),
  reportedBy: z
    .object({ keyId: id.nullable(), mayRelease: z.boolean() })
    .describe('The key that reported it, and whether the key may release.'),
  late: z.boolean().describe('Whether the lease had run out before.'),
  deltaMicros: microsDelta.describe(
    'What the outcome added to the charge, in micro-dollars. Negative: it gave back.',
  ),
  chargedMicros: micros.describe('The whole cost of the action after this outcome, in micro-dollars.'),
  cumulativeMicros: microsDelta.describe('What the agent has spent in its lifetime, in micro-dollars.'),
  excessMicros: micros.describe(
    "The part of the actual cost above its cap. Only the agent's own budgets are charged with it.",
  ),
  releasedMicros: microsDelta.describe(
    'The change of the counter of give-backs. Negative: a success made room.',
  ),
  code: z.enum(SETTLEMENT_CODES).describe('The first mark, or whether the outcome settled anything.'),
  marks: z
    .array(z.enum(SETTLEMENT_MARKS))
    .describe('What a person should know of it, the most severe first.'),
  reason: z.string().describe('What happened, as a sentence.'),
  completedAt: time.nullable().describe("When the call ended, by the caller's clock."),
  settledAt: time.describe('When it was settled, by the clock of the ledger.'),
  source: source.describe('The log position of the outcome.'),
  ledgerEpoch: z.string().describe('The life of the ledger that settled.'),
  ledgerSequence: count.describe('The number of the step within the tenant.'),
});
export type Settlement = z.infer<typeof settlement>;

export const actionSettled = z
  .object({ event: z.literal('action.settled'), settlement })
  .meta({ title: 'action.settled', description: 'What an outcome did to the charge of its action.' });
export type ActionSettled = z.infer<typeof actionSettled>;
