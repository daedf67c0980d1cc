/**
 * The acts of people that may explain a decision, newest first: answers about its action, and kills and revives that
 * concern its agent, up to `toMs`. The payload is left out, because a kill of everything contains the actions of
 * other tenants.
 */
import { described, id, tenant, time } from '@mandate/schemas';
import { z } from 'zod';
import { question } from '../question.ts';

export const eventsBehind = question({
  params: z.strictObject({
    tenant,
    agentId: id,
    /** The ids of the ancestors of the agent. */
    ancestors: z.array(id).default([]),
    actionId: id,
    toMs: z.int().min(0),
    limit: z.int().min(1).max(1_000).default(100),
  }),
  row: z.object({
    id: described(z.string(), 'The id of the event.', 'kill_1'),
    event: described(
      z.enum(['agent.killed', 'agent.revived', 'approval.recorded']),
      'The kind of the event.',
    ),
    scope: described(
      z.enum(['agent', 'subtree', 'tenant', 'all']).nullable(),
      'What a kill or a revive is about. null: an approval.',
      'agent',
    ),
    agentId: described(
      z.string().nullable(),
      'The agent that the event names. For a subtree: the agent whose descendants are stopped too. null: none.',
      'airline-007',
    ),
    by: described(z.string().nullable(), 'The person or the API key. null: not recorded.', 'key:ops-laptop'),
    reason: described(z.string(), 'Why, in the words of the operator.', 'runaway loop'),
    answer: described(
      z.enum(['granted', 'denied']).nullable(),
      'What a person answered. null: a kill or a revive.',
      'granted',
    ),
    ledgerSequence: described(
      z.int().nullable(),
      'For a kill: the last ledger sequence of the tenant before it. null: the event does not name it.',
      420,
    ),
    ledgerEpoch: described(
      z.string().nullable(),
      'The epoch of the ledger. null: not recorded.',
      'epoch_01kc7d5k0g',
    ),
    happenedAt: described(time, 'When it happened.'),
  }),
  sql: () => `
    SELECT id, event, nullIf(scope, '') AS scope, nullIf(agent_id, '') AS agentId, nullIf(made_by, '') AS by, reason, nullIf(answer, '') AS answer,
      JSONExtract(payload, 'kill', 'ledgerSequences', {tenant:String}, 'Nullable(UInt64)') AS ledgerSequence,
      nullIf(ledger_epoch, '') AS ledgerEpoch, happened_at AS happenedAt
    FROM control_events FINAL
    WHERE tenant IN ({tenant:String}, '') AND NOT void AND (
      (event = 'approval.recorded' AND agent_id = {agentId:String} AND action_id = {actionId:String})
      OR (event IN ('agent.killed', 'agent.revived') AND (scope NOT IN ('agent', 'subtree') OR agent_id = {agentId:String}
          OR (scope = 'subtree' AND has({ancestors:Array(String)}, agent_id)))
        AND happened_at <= fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')))
    ORDER BY happened_at DESC, control_events.id DESC
    LIMIT 1 BY event, control_events.id
    LIMIT {limit:UInt32}`,
});
