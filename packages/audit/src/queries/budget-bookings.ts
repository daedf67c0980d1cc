import { RELEASED_BUDGET } from '@mandate/schemas';
import { TENANT_TABLES } from '../retention/tenant-tables.ts';

/**
 * SQL for everything that changed the counter of a budget, each change once: charges of decisions, changes by
 * outcomes, and adjustments by operators.
 *
 * Columns of the subquery: scope, subject, budgetId, windowMs (0: no window), booked_at, held_from, charges, settles,
 * adjusts. held_from: when the window of the budget begins to count the change. A settlement counts from the time of
 * its charge. A cost above its cap (an excess) counts only for the agent's own budgets. The amounts that an agent's
 * own reports gave back also count for the agent's budget `released`.
 *
 * @param options.retentionStartMs reads only rows since then, by the times that retention uses
 *   (retention/tenant-tables.ts). Settlements of older decisions are dropped with these decisions.
 */
export function budgetBookings({ retentionStartMs }: { retentionStartMs?: number | undefined } = {}): string {
  const kept = (table: 'decisions' | 'settlements' | 'control_events') =>
    retentionStartMs === undefined
      ? ''
      : ` AND ${TENANT_TABLES[table].at} >= fromUnixTimestamp64Milli({retentionStartMs:Int64}, 'UTC')`;
  return `(
      WITH reserved AS (
        SELECT agent_id, action_id, attempt, budgets, decided_at, toInt128(charged_micros) AS charged
        FROM decisions FINAL
        WHERE tenant = {tenant:String} AND NOT void AND notEmpty(budgets)${kept('decisions')}
      ),
      settled AS (
        SELECT agent_id, action_id, attempt, settled_at, toInt128(delta_micros) AS delta,
          toInt128(excess_micros) AS excess, toInt128(released_micros) AS released
        FROM settlements FINAL
        WHERE tenant = {tenant:String} AND NOT void AND kind = 'settled'${kept('settlements')}
      ),
      adjusted AS (
        SELECT budget_scope, budget_subject, budget_id, budget_window_ms, happened_at, toInt128(delta_micros) AS delta
        FROM control_events FINAL
        WHERE tenant = {tenant:String} AND NOT void AND event = 'budget.adjusted'${kept('control_events')}
        LIMIT 1 BY id
      )
      SELECT toString(budget.scope) AS scope, budget.subject AS subject, budget.id AS budgetId,
        budget.window_ms AS windowMs, decided_at AS booked_at, decided_at AS held_from,
        charged AS charges, toInt128(0) AS settles, toInt128(0) AS adjusts
      FROM reserved ARRAY JOIN budgets AS budget
      UNION ALL
      SELECT toString(budget.scope), budget.subject, budget.id, budget.window_ms, settled_at, decided_at,
        toInt128(0), delta + if(budget.scope = 'agent' AND budget.subject = agent_id, excess, 0), toInt128(0)
      FROM (
        SELECT agent_id, delta, excess, budgets, settled_at, decided_at
        FROM settled ANY INNER JOIN reserved USING (agent_id, action_id, attempt)
      ) ARRAY JOIN budgets AS budget
      UNION ALL
      SELECT 'agent', agent_id, '${RELEASED_BUDGET}', toInt64(0), settled_at, settled_at, toInt128(0), released, toInt128(0)
      FROM settled WHERE released != 0
      UNION ALL
      SELECT toString(budget_scope), budget_subject, budget_id, budget_window_ms, happened_at, happened_at,
        toInt128(0), toInt128(0), delta
      FROM adjusted
    )`;
}
