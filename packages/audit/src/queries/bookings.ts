/**
 * Money as it was booked: what a decision charged, dated by the decision, and what an outcome changed, dated by the
 * settlement. Spend is the sum of both; a day that is over never changes, and days add up to their month.
 */
import { narrowed } from '../question.ts';
import { type AnalyticsFilter, DECISION_FRAGMENTS } from './analytics-filter.ts';

/**
 * A subquery with a row for each decision and each settlement: agent_id, tool, verdict (empty for a settlement),
 * last_seen (null for a settlement), charged and settled. A settlement does not name its tool; the decision does,
 * so the two are joined where the tool matters. Sums are of 128 bits: they fail rather than wrap.
 */
export function bookings(params: Partial<AnalyticsFilter>, options: { byTool: boolean }): string {
  const byTool = options.byTool || params.tool !== undefined;
  const tools = byTool
    ? `ANY LEFT JOIN (
        SELECT agent_id, action_id, attempt, tool FROM decisions FINAL
        WHERE tenant = {tenant:String} AND NOT void AND verdict = 'ALLOW'
      ) AS allowed USING (agent_id, action_id, attempt)`
    : '';
  return `(
      SELECT agent_id, tool, verdict, toNullable(decided_at) AS last_seen,
        toInt128(charged_micros) AS charged, toInt128(0) AS settled
      FROM decisions FINAL
      WHERE tenant = {tenant:String} AND NOT void${narrowed(params, DECISION_FRAGMENTS)}
      UNION ALL
      SELECT agent_id, ${byTool ? 'tool' : "''"}, '', NULL, toInt128(0), toInt128(delta_micros)
      FROM (
        SELECT agent_id, action_id, attempt, delta_micros FROM settlements FINAL
        WHERE tenant = {tenant:String} AND NOT void AND kind = 'settled'${narrowed(params, SETTLED)}
      ) AS moved ${tools}
      WHERE true${narrowed(params, { tool: DECISION_FRAGMENTS.tool })}
    )`;
}

const SETTLED = {
  agentId: DECISION_FRAGMENTS.agentId,
  fromMs: "settled_at >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')",
  toMs: "settled_at < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')",
};
