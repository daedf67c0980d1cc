/**
 * What an agent has used in its lifetime: one row. Each allowed call counts once, with its charge and the change that
 * its outcome made. A cost above its cap (an excess) counts too. `adjustedMicros`: what operators changed in the
 * lifetime budget of the agent.
 */
import { id, TOTAL_BUDGET, tenant } from '@mandate/schemas';
import { z } from 'zod';
import { question } from '../question.ts';
import { summedMicros } from './summed-micros.ts';

export const usageOfAgent = question({
  params: z.strictObject({ tenant, agentId: id }),
  row: z.object({
    calls: z.int(),
    llmMicros: summedMicros,
    toolMicros: summedMicros,
    adjustedMicros: summedMicros,
  }),
  sql: () => `
    WITH allowed AS (
      SELECT action_id, attempt, type, toInt128(charged_micros) AS charged
      FROM decisions FINAL
      WHERE tenant = {tenant:String} AND NOT void AND agent_id = {agentId:String} AND verdict = 'ALLOW' AND kind = 'first'
    ),
    settled AS (
      SELECT action_id, attempt, toInt128(delta_micros) + toInt128(excess_micros) AS change
      FROM settlements FINAL
      WHERE tenant = {tenant:String} AND NOT void AND agent_id = {agentId:String} AND kind = 'settled'
    ),
    booked AS (
      SELECT type, 1 AS calls, charged AS micros FROM allowed
      UNION ALL
      SELECT type, 0, change FROM settled ANY INNER JOIN allowed USING (action_id, attempt)
    )
    SELECT sum(calls) AS calls, sumIf(micros, type = 'llm_call') AS llmMicros,
      sumIf(micros, type != 'llm_call') AS toolMicros,
      (
        SELECT sum(delta) FROM (
          SELECT toInt128(delta_micros) AS delta
          FROM control_events FINAL
          WHERE tenant = {tenant:String} AND NOT void AND event = 'budget.adjusted' AND budget_scope = 'agent'
            AND budget_subject = {agentId:String} AND budget_id = '${TOTAL_BUDGET}' AND budget_window_ms = 0
          LIMIT 1 BY id
        )
      ) AS adjustedMicros
    FROM booked`,
});
