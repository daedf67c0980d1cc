/**
 * Records of operators' commands, as the ledger carried them out: kill, revive, adjust, approve. The record of a new
 * ledger epoch is here too.
 */
import { z } from 'zod';
import { ACTION_TYPES } from './action-kinds.ts';
import { COUNTER_UNITS } from './counter-names.ts';
import { described } from './described.ts';
import { budgetLimit } from './limit.ts';
import { microsDelta } from './money-shapes.ts';
import { count, id, tenant, time } from './scalars.ts';

/** The agents that a kill switch stops. */
export const killTarget = z.discriminatedUnion('scope', [
  z.object({
    scope: described(z.literal('agent'), 'One agent.'),
    tenant: described(tenant, 'The tenant of the agent.', 'default'),
    agentId: described(id, 'The agent that is stopped.', 'airline-007'),
  }),
  /**
   * The agent and all its descendants, at any depth. Agents that become descendants after the kill are included.
   * Agents that get another parent after the kill stay included.
   */
  z.object({
    scope: described(z.literal('subtree'), 'An agent with all its descendants.'),
    tenant: described(tenant, 'The tenant of the agent.', 'default'),
    agentId: described(id, 'The agent that is stopped, with all its descendants.', 'airline-lead'),
  }),
  z.object({
    scope: described(z.literal('tenant'), 'A tenant.'),
    tenant: described(tenant, 'The tenant in which everything is stopped.', 'default'),
  }),
  z.object({ scope: described(z.literal('all'), 'Everything.') }),
]);
export type KillTarget = z.infer<typeof killTarget>;

export const actionReference = z.object({
  tenant: described(tenant, 'The tenant of the agent.', 'default'),
  agentId: described(id, 'The agent that asked.', 'airline-007'),
  actionId: described(id, 'The action.', 'act_7f3a'),
  attempt: described(count, 'Its attempt.', 1),
});
export type ActionReference = z.infer<typeof actionReference>;

/** An ALLOW that may still run, with what it may spend. */
export const openAction = actionReference.extend({
  type: described(z.enum(ACTION_TYPES), 'What kind of action it is.'),
  tool: described(
    id.nullable(),
    'The tool of a tool call. null: another kind of action.',
    'send_certificate',
  ),
  digest: described(
    z.string(),
    'The digest of the request with its arguments, as in its decision.',
    '9b2f5c1e8a7d40361f2b8c9d0e1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c',
  ),
  sequence: described(
    count,
    'The ledger sequence of the decision. No ALLOW from after a kill has one above the sequence of the kill.',
    418,
  ),
  reservedMicros: described(count, 'What the ALLOW reserved, in micro-dollars.', 100_000),
  decidedAtMs: described(count, 'When the action was decided, in epoch milliseconds.', 1_767_605_441_004),
  leaseExpiresAtMs: described(
    count,
    'When the lease of the action ends, in epoch milliseconds. After this, the action may not run.',
    1_767_605_471_004,
  ),
});
export type OpenAction = z.infer<typeof openAction>;

const operator = {
  id: described(
    id,
    'The id of the command. A command that is sent again keeps its id, and takes effect once.',
    'kill_1',
  ),
  by: described(z.string(), 'The person or the API key that gave the command.', 'key:ops-laptop'),
  reason: described(z.string(), 'Why, in the words of the operator.', 'runaway loop'),
  at: described(time, 'When the command was given.'),
};

export const agentKilled = z
  .object({
    event: described(z.literal('agent.killed'), 'The kind of the record.'),
    kill: described(
      z.object({
        ...operator,
        target: described(killTarget, 'What was stopped.'),
        revision: described(
          count,
          'The revision of the switch. An older event never overwrites a newer one. If both are equal, the kill wins.',
          4,
        ),
        heldSince: described(
          count.optional(),
          'Only for `subtree`: the revision of the control topic at the first kill since the last revive. An agent that leaves the subtree later is still stopped.',
          41,
        ),
        ledgerEpoch: described(z.string(), 'The epoch of the ledger.', 'epoch_01kc7d5k0g'),
        ledgerSequences: described(
          z.record(z.string(), count),
          'The ledger sequence of each tenant at the time of the kill. No ALLOW has a higher one until a revive. A kill ' +
            'of everything names only the first tenants.',
          { default: 420 },
        ),
        tenantCount: described(
          count.optional(),
          'The number of tenants with a sequence, if `ledgerSequences` does not name all.',
          1_200,
        ),
        openCount: described(count, 'How many allowed actions may still run.', 1),
        open: described(
          z.array(openAction),
          'The first of the actions that may still run. The answer to the operator has the whole list.',
        ),
      }),
      'The target of the kill, and who killed it and why.',
    ),
  })
  .meta({
    title: 'agent.killed',
    description: 'A kill switch was pulled for an agent, a tenant or everything.',
  });
export type AgentKilled = z.infer<typeof agentKilled>;

export const agentRevived = z
  .object({
    event: described(z.literal('agent.revived'), 'The kind of the record.'),
    revive: described(
      z.object({
        ...operator,
        target: described(killTarget, 'What was released.'),
        revision: described(count, 'The revision of the switch.', 5),
      }),
      'The target of the revive, and who revived it and why.',
    ),
  })
  .meta({ title: 'agent.revived', description: 'A kill switch was released.' });
export type AgentRevived = z.infer<typeof agentRevived>;

export const budgetAdjusted = z
  .object({
    event: described(z.literal('budget.adjusted'), 'The kind of the record.'),
    adjustment: described(
      z
        .object({
          ...operator,
          tenant: described(tenant, 'The tenant of the budget.', 'default'),
          budget: described(
            budgetLimit
              .omit({ kind: true, maxMicros: true, policy: true, ancestor: true, otherLimits: true })
              .extend({
                unit: described(
                  z.enum(COUNTER_UNITS).exactOptional(),
                  'The unit of the counter, for a limit on tokens or on tool calls. Absent for a budget of money.',
                ),
              }),
            'The budget that was corrected.',
          ),
          deltaMicros: described(
            microsDelta.exactOptional(),
            'What was added to the spent amount, in micro-dollars. Negative: it was given back. The correction counts from now on. Absent if the budget has a unit.',
            5_000_000,
          ),
          spentMicros: described(
            z.int().exactOptional(),
            'What the budget has spent after it, in micro-dollars. It can be negative. Absent if the budget has a unit.',
            5_240_000,
          ),
          delta: described(
            microsDelta.exactOptional(),
            'What was added to the counter, in its unit. Negative: it was given back. Absent for money.',
            -50_000,
          ),
          used: described(
            z.int().exactOptional(),
            'What the counter has after it, in its unit. It can be negative. Absent for money.',
            12_000,
          ),
          ledgerEpoch: described(z.string(), 'The epoch of the ledger.', 'epoch_01kc7d5k0g'),
          ledgerSequence: described(count, 'The number of the step within the tenant.', 424),
        })
        .refine(isInItsUnit, { error: 'must state its amounts in the unit of its budget, and in no other' }),
      'The budget and its correction, and who corrected it and why.',
    ),
  })
  .meta({
    title: 'budget.adjusted',
    description: 'An operator corrected what a budget has spent.',
  });
export type BudgetAdjusted = z.infer<typeof budgetAdjusted>;

function isInItsUnit(adjustment: {
  budget: { unit?: string };
  deltaMicros?: number;
  spentMicros?: number;
  delta?: number;
  used?: number;
}): boolean {
  const { budget, deltaMicros, spentMicros, delta, used } = adjustment;
  const money = [deltaMicros, spentMicros];
  const inUnit = [delta, used];
  const [own, other] = budget.unit === undefined ? [money, inUnit] : [inUnit, money];
  return own.every((amount) => amount !== undefined) && other.every((amount) => amount === undefined);
}

export const approvalRecorded = z
  .object({
    event: described(z.literal('approval.recorded'), 'The kind of the record.'),
    approval: described(
      z.object({
        ...operator,
        tenant: described(tenant, 'The tenant of the agent.', 'default'),
        agentId: described(id, 'The agent that asked.', 'airline-007'),
        actionId: described(id, 'The action that a person answered for.', 'act_7f41'),
        digest: described(
          z.string(),
          'The digest of the request. The answer holds for this request only.',
          'e1e73835b27823313abc982824acbddc97200ce67e99e3e672816a10d5a3afd2',
        ),
        answer: described(z.enum(['granted', 'denied']), 'What the person answered.'),
        expiresAt: described(time, 'Until when the answer holds.', '2026-01-05T10:31:30.000Z'),
        ledgerEpoch: described(z.string(), 'The epoch of the ledger.', 'epoch_01kc7d5k0g'),
        ledgerSequence: described(count, 'The number of the step within the tenant.', 425),
      }),
      'What a person answered, and why.',
    ),
  })
  .meta({ title: 'approval.recorded', description: 'A person approved or denied a deferred action.' });
export type ApprovalRecorded = z.infer<typeof approvalRecorded>;

/**
 * The beginning of a ledger epoch. The record is in every partition of the decisions topic. A later decision with
 * another epoch is void. If several epochs were begun, their generations decide which one is valid
 * (epoch-in-force.ts).
 */
export const ledgerEpoch = z
  .object({
    event: described(z.literal('ledger.epoch'), 'The kind of the record.'),
    epoch: described(
      z.object({
        id: described(id, 'The id of the epoch.', 'epoch_01kc7d5k0g'),
        generation: described(
          z.int().min(1).optional(),
          'The generation of the ledger. It rises with every rebuild that begins. Absent on records that are older than generations.',
          1_773_750_600_000,
        ),
        previous: described(id.nullable(), 'The epoch before. null: this is the first.', 'epoch_01kc7d9zzz'),
        replayMemoryMs: described(
          z.int().min(1).optional(),
          'How long this epoch remembers ids, in milliseconds. If absent, the value of the previous epoch applies.',
          86_400_000,
        ),
        reason: described(
          z.string(),
          'Why the ledger was rebuilt.',
          'the shared ledger was rebuilt from the log',
        ),
        at: described(time, 'When the rebuild began.'),
      }),
      'The epoch that begins here.',
    ),
  })
  .meta({
    title: 'ledger.epoch',
    description:
      'A ledger was rebuilt. A later decision with another epoch is void. A record is ignored if an earlier record ' +
      'of its partition has the same or a higher generation: its rebuilder was overtaken. A record without a ' +
      'generation begins its epoch at its log position.',
  });
export type LedgerEpoch = z.infer<typeof ledgerEpoch>;
