/**
 * All that was decided about an action, in the order of the log. Ids of actions are unique per agent only, so without
 * `agentId` several agents' actions may answer.
 *
 * Exactly one row of each agent stands: of the newest attempt, a decision proper before a repeat, a settled answer
 * before one that waited for a person, and the first by log order.
 */
import { id, tenant } from '@mandate/schemas';
import { z } from 'zod';
import { narrowed, question } from '../question.ts';
import { DECISION_COLUMNS, decisionSummary } from './decision-columns.ts';

export const decisionsOfAction = question({
  params: z.strictObject({ tenant, actionId: id, agentId: id.optional() }),
  row: decisionSummary.extend({ stands: z.boolean() }),
  sql: (params) => `
    SELECT ${DECISION_COLUMNS},
      toBool(row_number() OVER (
        PARTITION BY agent_id
        ORDER BY kind = 'duplicate', attempt DESC, verdict = 'DEFER', log_offset
      ) = 1) AS stands
    FROM decisions FINAL
    WHERE tenant = {tenant:String} AND NOT void AND action_id = {actionId:String}${narrowed(params, {
      agentId: 'agent_id = {agentId:String}',
    })}
    ORDER BY agentId, logOffset
    LIMIT 1000`,
});
