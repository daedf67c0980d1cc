/** `action.completed`: the outcome of an allowed action. It settles the charge. */
import { z } from 'zod';
import { CAPS } from './defaults.ts';
import { micros } from './money-shapes.ts';
import { id, tenant, time } from './scalars.ts';

export const outcome = z.strictObject({
  actionId: id,
  attempt: z.int().min(1).max(CAPS.attempts).optional().describe('The attempt of the action. Absent: 1.'),
  tenant: tenant.optional(),
  agentId: id,
  status: z
    .enum(['success', 'failure', 'cancelled'])
    .describe('What became of the call. `cancelled`: it never ran.'),
  actualCostMicros: micros.optional().describe('What the call cost, in micro-dollars.'),
  verification: z
    .strictObject({ ok: z.boolean() })
    .optional()
    .describe('Whether a check of the result passed. Absent: none ran.'),
  completedAt: time.optional().describe("When the call ended, by the caller's clock."),
});
export type Outcome = z.infer<typeof outcome>;

/** Who reported an outcome, as the gateway knows it by the key of the request. */
export const reporter = z
  .strictObject({
    keyId: id,
    mayRelease: z
      .boolean()
      .describe('The key has the scope `release`: no policy bounds what its reports give back.'),
  })
  .describe('Set by the gateway, for every outcome that comes over HTTP, and never taken from a caller.');
export type Reporter = z.infer<typeof reporter>;

/** An outcome on the log. Without `reportedBy`, a producer wrote it to the topic. */
export const reportedOutcome = outcome.extend({ reportedBy: reporter.optional() });
export type ReportedOutcome = z.infer<typeof reportedOutcome>;

export const actionCompleted = z
  .strictObject({ event: z.literal('action.completed'), outcome: reportedOutcome })
  .meta({
    title: 'action.completed',
    description: 'What became of an allowed action. It settles the charge.',
  });
export type ActionCompleted = z.infer<typeof actionCompleted>;
