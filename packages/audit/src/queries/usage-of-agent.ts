/**
 * The usage of an agent in its lifetime, as one row. Each allowed call counts once, with its charge and the change that
 * its outcome made. A cost above its cap (an excess) counts too. `adjustedMicros` is the sum of the corrections by
 * operators to the lifetime budget of the agent.
 *
 * The rows of the agent are found first, and only then repeats are left out. FINAL would merge the rows of all agents.
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
    SELECT sum(calls) AS calls, sum(llm) + sumIf(change, llm_calls > 0) AS llmMicros,
      sum(other) + sumIf(change, llm_calls = 0) AS toolMicros,
      (
        SELECT sum(delta) FROM (
          SELECT toInt128(delta_micros) AS delta
          FROM control_events FINAL
          WHERE tenant = {tenant:String} AND NOT void AND event = 'budget.adjusted' AND budget_scope = 'agent'
            AND budget_subject = {agentId:String} AND budget_id = '${TOTAL_BUDGET}' AND budget_window_ms = 0
          LIMIT 1 BY id
        )
      ) AS adjustedMicros
    FROM (
      SELECT countIf(is_decision) AS calls, countIf(is_decision AND type = 'llm_call') AS llm_calls,
        sumIf(micros, is_decision AND type = 'llm_call') AS llm, sumIf(micros, is_decision AND type != 'llm_call') AS other,
        anyIf(micros, NOT is_decision) AS change
      FROM (
        SELECT true AS is_decision, action_id, attempt, type, toInt128(charged_micros) AS micros
        FROM ${rowsOfAgent('decisions', 'action_id, attempt, type, charged_micros, verdict')}
        WHERE verdict = 'ALLOW' AND kind = 'first'
        UNION ALL
        SELECT false, action_id, attempt, '', toInt128(delta_micros) + toInt128(excess_micros)
        FROM ${rowsOfAgent('settlements', 'action_id, attempt, delta_micros, excess_micros')}
        WHERE kind = 'settled'
      )
      GROUP BY action_id, attempt
      HAVING calls > 0
    )`,
});

/** SQL for the rows of the agent that count, without repeats. A row and its repeats have the same agent. */
function rowsOfAgent(table: string, columns: string): string {
  return `(
          SELECT * FROM (
            SELECT ${columns}, kind, void FROM ${table}
            WHERE tenant = {tenant:String} AND agent_id = {agentId:String}
            ORDER BY precedence DESC LIMIT 1 BY id
          ) WHERE NOT void
        )`;
}
