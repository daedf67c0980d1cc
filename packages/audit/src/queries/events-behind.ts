/**
 * The acts of people that may explain a decision, newest first: answers about its action, and kills and revives that
 * concern its agent, up to `toMs`. The payload is left out, because a kill of everything names the actions of other
 * tenants in it.
 */
import { id, tenant, time } from '@mandate/schemas';
import { z } from 'zod';
import { question } from '../question.ts';

export const eventsBehind = question({
  params: z.strictObject({
    tenant,
    agentId: id,
    /** The ancestors of the agent. */
    ancestors: z.array(id).default([]),
    actionId: id,
    toMs: z.int().min(0),
    limit: z.int().min(1).max(1_000).default(100),
  }),
  row: z.object({
    id: z.string(),
    event: z.enum(['agent.killed', 'agent.revived', 'approval.recorded']),
    /** For a kill or revive: its scope. */
    scope: z.enum(['agent', 'family', 'tenant', 'all']).nullable(),
    /** The agent that the event names. For a family, its root agent. */
    agentId: z.string().nullable(),
    by: z.string().nullable(),
    reason: z.string(),
    /** For an approval. */
    answer: z.enum(['granted', 'denied']).nullable(),
    /**
     * For a kill: its ledger sequence among the decisions of the tenant in that epoch. Null if its event does not
     * name it.
     */
    ledgerSequence: z.int().nullable(),
    ledgerEpoch: z.string().nullable(),
    happenedAt: time,
  }),
  sql: () => `
    SELECT id, event, nullIf(scope, '') AS scope, nullIf(agent_id, '') AS agentId, nullIf(made_by, '') AS by, reason, nullIf(answer, '') AS answer,
      JSONExtract(payload, 'kill', 'ledgerSequences', {tenant:String}, 'Nullable(UInt64)') AS ledgerSequence,
      nullIf(ledger_epoch, '') AS ledgerEpoch, happened_at AS happenedAt
    FROM control_events FINAL
    WHERE tenant IN ({tenant:String}, '') AND NOT void AND (
      (event = 'approval.recorded' AND agent_id = {agentId:String} AND action_id = {actionId:String})
      OR (event IN ('agent.killed', 'agent.revived') AND (scope NOT IN ('agent', 'family') OR agent_id = {agentId:String}
          OR (scope = 'family' AND has({ancestors:Array(String)}, agent_id)))
        AND happened_at <= fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')))
    ORDER BY happened_at DESC, control_events.id DESC
    LIMIT 1 BY event, control_events.id
    LIMIT {limit:UInt32}`,
});
