/**
 * Counts the actions that wait for a person. Nobody has answered the newest question of such an action, and nothing was
 * decided about the action later. The questions are those of `approvals`.
 */
import { count, id, tenant } from '@mandate/schemas';
import { z } from 'zod';
import { narrowed, question } from '../question.ts';
import { IN_ORDER, IS_QUESTION, OF_ACTIONS, OF_QUESTIONS, WAITS, WITH_ANSWERS } from './approvals.ts';
import { period } from './decision-filter.ts';

export const waitingApprovals = question({
  params: z.strictObject({ tenant, agentId: id.optional(), ...period }),
  row: z.object({ waiting: count }),
  sql: ({ agentId, fromMs, toMs }) => `
    WITH questions AS (
      SELECT id, agent_id, action_id FROM decisions
      WHERE ${OF_ACTIONS} AND ${IS_QUESTION}${narrowed(
        { agentId, fromMs, toMs },
        {
          agentId: 'agent_id = {agentId:String}',
          fromMs: "decided_at >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')",
          toMs: "decided_at < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')",
        },
      )}
    )
    SELECT count() AS waiting FROM (
      SELECT argMaxIf((id, decided_at), ${IN_ORDER}, ${IS_QUESTION}) AS newest, argMax(id, ${IN_ORDER}) AS last_id
      FROM decisions FINAL ${WITH_ANSWERS}
      WHERE ${OF_QUESTIONS}
      GROUP BY agent_id, action_id
      HAVING newest.1 != '' AND ${WAITS}${narrowed(
        { fromMs, toMs },
        {
          fromMs: "newest.2 >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')",
          toMs: "newest.2 < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')",
        },
      )}
    )`,
});
