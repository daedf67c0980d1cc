/** `action.completed`: what became of an allowed action. It settles the charge. */
import { z } from 'zod';
import { CAPS } from './defaults.ts';
import { micros } from './money.ts';
import { id, tenant, time } from './scalars.ts';

export const outcome = z.strictObject({
  actionId: id,
  attempt: z.int().min(1).max(CAPS.attempts).optional(),
  tenant: tenant.optional(),
  agentId: id,
  status: z.enum(['success', 'failure', 'cancelled']),
  actualCostMicros: micros.optional(),
  verification: z.strictObject({ ok: z.boolean() }).optional(),
  completedAt: time.optional(),
});
export type Outcome = z.infer<typeof outcome>;

export const actionCompleted = z.strictObject({ event: z.literal('action.completed'), outcome }).meta({
  title: 'action.completed',
  description: 'What became of an allowed action. It settles the charge.',
});
export type ActionCompleted = z.infer<typeof actionCompleted>;
