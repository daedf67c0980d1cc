/** `action.settled`: what an outcome did to the charge. */
import { z } from 'zod';
import { micros, microsDelta } from './money.ts';
import { count, id, source, tenant, time } from './scalars.ts';

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
  /** The lease had already run out. */
  late: z.boolean(),
  deltaMicros: microsDelta,
  chargedMicros: micros,
  /** The agent's lifetime spend; negative once an operator gave back more than was spent. */
  cumulativeMicros: microsDelta,
  code: z.enum(['SETTLED', 'OVERDRAWN', 'NO_EFFECT']),
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
