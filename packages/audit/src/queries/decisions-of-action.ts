/**
 * The decisions about an action, or about one attempt of the action. The decision that counts comes first, then the
 * rest in the order of the log. Action ids are unique only per agent, so without `agentId` the answer may contain
 * actions of several agents.
 *
 * For each agent exactly one row counts, even if the action was sent several times. A first decision counts before a
 * duplicate, then the newest attempt, then a final answer before a deferral, then the first by log order.
 */
import { count, id, tenant } from '@mandate/schemas';
import { z } from 'zod';
import { narrowed, question } from '../question.ts';
import { DECISION_COLUMNS, wholeDecision } from './decision-columns.ts';
import { STANDS_FOR_ACTION } from './stands-for-action.ts';

export const decisionsOfAction = question({
  params: z.strictObject({
    tenant,
    actionId: id,
    agentId: id.optional(),
    attempt: count.optional(),
    limit: z.int().min(1).max(1_000).default(1_000),
  }),
  row: wholeDecision.extend({ stands: z.boolean() }),
  sql: (params) => `
    SELECT ${DECISION_COLUMNS}, payload,
      toBool(row_number() OVER (
        PARTITION BY agent_id
        ORDER BY NOT ${STANDS_FOR_ACTION}, attempt DESC, verdict = 'DEFER', log_offset
      ) = 1) AS stands
    FROM decisions FINAL
    WHERE tenant = {tenant:String} AND NOT void AND action_id = {actionId:String}${narrowed(params, {
      agentId: 'agent_id = {agentId:String}',
      attempt: 'attempt = {attempt:UInt32}',
    })}
    ORDER BY stands DESC, agentId, logOffset
    LIMIT {limit:UInt32}`,
});
