/** Finds the budgets that limit an agent, and the least that they have left. */
import type { Action, BudgetLimit } from '@mandate/schemas';
import { type MandatesInForce, planInForce } from './mandates-in-force.ts';

/** Returns the budgets with a limit that hold for the next tool call of the agent. */
export function budgetsInForce(
  mandates: MandatesInForce,
  tenant: string,
  agentId: string,
  atMs: number,
): readonly BudgetLimit[] {
  const probe: Action = { id: 'probe', agentId, type: 'tool_call', tool: 'probe' };
  const { limits } = planInForce(mandates, tenant, probe, atMs);
  return limits.filter((limit): limit is BudgetLimit => limit.kind === 'budget' && limit.maxMicros !== null);
}

/**
 * Returns the least that any budget has left. Null if no budget has a limit.
 *
 * @param spent the sum of each budget's counter, in the order of the budgets
 */
export function leastRemaining(budgets: readonly BudgetLimit[], spent: readonly number[]): number | null {
  const left = budgets.map(({ maxMicros }, at) => (maxMicros ?? 0) - (spent[at] ?? 0));
  return left.length === 0 ? null : Math.min(...left);
}
