/** `action.settled`: what an outcome did to the charge. */
import { z } from 'zod';
import { micros, microsDelta } from './money-shapes.ts';
import { count, id, source, tenant, time } from './scalars.ts';
import { SETTLEMENT_CODES, SETTLEMENT_MARKS } from './settlement-codes.ts';

export const settlement = z.object({
  id,
  /**
   * `settled` moved money (perhaps by 0); every other kind is a record and changes nothing. `unremembered`: one of the
   * others, and the ledger had no room to remember that it was told.
   */
  kind: z.enum(['settled', 'repeated', 'unknown', 'not_allowed', 'unremembered']),
  actionId: id,
  attempt: count,
  tenant,
  agentId: id,
  status: z.enum(['success', 'failure', 'cancelled']),
  verified: z.boolean().nullable(),
  actualCostMicros: micros.nullable(),
  /** `keyId`: the key of a report over HTTP; null if a producer wrote the report to the topic. */
  reportedBy: z.object({ keyId: id.nullable(), mayRelease: z.boolean() }),
  /** The lease ran out before the outcome came. */
  late: z.boolean(),
  deltaMicros: microsDelta,
  chargedMicros: micros,
  /** The agent's lifetime spend; negative once an operator gave back more than was spent. */
  cumulativeMicros: microsDelta,
  /** The part of the actual cost above the cap. It is charged to the agent's own budgets, and to no shared budget. */
  excessMicros: micros,
  /** The change of the agent's counter of releases; negative if a success made room. */
  releasedMicros: microsDelta,
  /** The first mark; without marks, whether the outcome settled anything. */
  code: z.enum(SETTLEMENT_CODES),
  marks: z.array(z.enum(SETTLEMENT_MARKS)),
  reason: z.string(),
  completedAt: time.nullable(),
  settledAt: time,
  source,
  ledgerEpoch: z.string(),
  ledgerSequence: count,
});
export type Settlement = z.infer<typeof settlement>;

export const actionSettled = z
  .object({ event: z.literal('action.settled'), settlement })
  .meta({ title: 'action.settled', description: 'What an outcome did to the charge of its action.' });
export type ActionSettled = z.infer<typeof actionSettled>;
