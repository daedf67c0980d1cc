/** What operators did, as the ledger recorded it: kill, revive, adjust, approve; and the start of a ledger's epoch. */
import { z } from 'zod';
import { budgetLimit } from './limit.ts';
import { microsDelta } from './money-shapes.ts';
import { count, id, tenant, time } from './scalars.ts';

/** The agents that a kill switch stops. */
export const killTarget = z.discriminatedUnion('scope', [
  z.object({ scope: z.literal('agent').describe('One agent.'), tenant, agentId: id }),
  /** The agent and everything below it, to any depth, also what is registered there later or leaves while it is killed. */
  z.object({
    scope: z.literal('family').describe('An agent with all its descendants.'),
    tenant,
    agentId: id,
  }),
  z.object({ scope: z.literal('tenant').describe('A tenant.'), tenant }),
  z.object({ scope: z.literal('all').describe('Everything.') }),
]);
export type KillTarget = z.infer<typeof killTarget>;

export const actionReference = z.object({
  tenant,
  agentId: id.describe('The agent that asked.'),
  actionId: id.describe('The action.'),
  attempt: count.describe('Its attempt.'),
});
export type ActionReference = z.infer<typeof actionReference>;

const operator = { id, by: z.string(), reason: z.string(), at: time };

export const agentKilled = z
  .object({
    event: z.literal('agent.killed'),
    kill: z.object({
      ...operator,
      target: killTarget,
      /** The revision of the flag: an older event never overwrites a newer one; at a tie the kill wins. */
      revision: count,
      /**
       * Only for a family: the revision of the control topic that was read when it was killed, by the first of several
       * kills without a revive between them: an agent that leaves the family at a later revision is still stopped.
       */
      heldSince: count.optional(),
      ledgerEpoch: z.string(),
      /** By tenant: no ALLOW has a higher sequence until a revive. A kill of everything names only the first tenants. */
      ledgerSequences: z.record(z.string(), count),
      /** In how many something had happened, where that is more than are named. */
      tenantCount: count.optional(),
      openCount: count,
      /** The first of the open actions; the answer to the operator has the whole list. */
      open: z.array(actionReference),
    }),
  })
  .meta({
    title: 'agent.killed',
    description: 'A kill switch was pulled for an agent, a tenant or everything.',
  });
export type AgentKilled = z.infer<typeof agentKilled>;

export const agentRevived = z
  .object({
    event: z.literal('agent.revived'),
    revive: z.object({ ...operator, target: killTarget, revision: count }),
  })
  .meta({ title: 'agent.revived', description: 'A kill switch was released.' });
export type AgentRevived = z.infer<typeof agentRevived>;

export const budgetAdjusted = z
  .object({
    event: z.literal('budget.adjusted'),
    adjustment: z.object({
      ...operator,
      tenant,
      budget: budgetLimit.omit({
        kind: true,
        maxMicros: true,
        policy: true,
        holder: true,
        otherLimits: true,
      }),
      /** Added to what is spent: negative gives back. Time of the charge it adjusts is the ledger's now. */
      deltaMicros: microsDelta,
      spentMicros: z.int(),
      ledgerEpoch: z.string(),
      ledgerSequence: count,
    }),
  })
  .meta({
    title: 'budget.adjusted',
    description: 'An operator added to what a budget has spent, or gave back.',
  });
export type BudgetAdjusted = z.infer<typeof budgetAdjusted>;

export const approvalRecorded = z
  .object({
    event: z.literal('approval.recorded'),
    approval: z.object({
      ...operator,
      tenant,
      agentId: id,
      actionId: id,
      digest: z.string(),
      answer: z.enum(['granted', 'denied']),
      expiresAt: time,
      ledgerEpoch: z.string(),
      ledgerSequence: count,
    }),
  })
  .meta({ title: 'approval.recorded', description: 'A person answered for an action that was deferred.' });
export type ApprovalRecorded = z.infer<typeof approvalRecorded>;

/**
 * In every partition of the decisions topic: a decision behind it that carries another epoch is void. Which of several
 * holds is said by their generations, and by epoch-in-force.ts.
 */
export const ledgerEpoch = z
  .object({
    event: z.literal('ledger.epoch'),
    epoch: z.object({
      id,
      /** Rises with every rebuild that is begun; see the description below. Records from before there were any have none. */
      generation: z.int().min(1).optional(),
      previous: id.nullable(),
      /** For how long ids are remembered, in milliseconds: `replayMemoryBehind` says what holds. */
      replayMemoryMs: z.int().min(1).optional(),
      reason: z.string(),
      at: time,
    }),
  })
  .meta({
    title: 'ledger.epoch',
    description:
      'A ledger was rebuilt: a decision behind this record that carries another epoch is void. A record whose ' +
      'generation is not higher than every one before it in its partition comes from a rebuilder that was overtaken, ' +
      'and begins nothing. One without a generation begins its epoch by its place on the log.',
  });
export type LedgerEpoch = z.infer<typeof ledgerEpoch>;
