import { type MandatesInForce, planInForce } from '@mandate/policy';
import type { Action, BudgetLimit } from '@mandate/schemas';

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
