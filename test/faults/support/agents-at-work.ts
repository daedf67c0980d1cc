/** Makes requests and outcomes of agents under a mandate with every kind of budget and charge. */
import type { Outgoing } from '@mandate/bus';
import { agentKey, type Decision } from '@mandate/schemas';

const AGENTS = 97;

export type Limits = { readonly agentMicros: number; readonly tenantMicros: number };

/** Returns the mandates. They have other limits too, but the given limits are reached first. */
export function mandates({ agentMicros, tenantMicros }: Limits): string {
  return `
version: 1
id: everybody
agents: ["*"]
maxCostTotal: ${agentMicros / 1_000_000}
budgets:
  - { id: team, scope: tenant, max: ${tenantMicros / 1_000_000} }
  - { id: day, scope: tenant, max: ${(2 * tenantMicros) / 1_000_000}, windowMs: 86400000 }
  - { id: own-hour, scope: agent, max: ${(2 * agentMicros) / 1_000_000}, windowMs: 3600000 }
rateLimit: { maxCalls: 100000, windowMs: 86400000 }
toolPolicies:
  cheap: { cost: 0.001 }
  dear: { cost: 0.05, chargingPolicy: { type: ATTEMPT_BASED } }
  tiered: { chargingPolicy: { type: TIERED, attempt: 0.001, success: 0.002, verification: 0.0005 } }
`;
}

/** Returns `count` requests, numbered from `from`. All agents take turns. */
export function requests(from: number, count: number, random: () => number): Outgoing[] {
  return Array.from({ length: count }, (_, at) => {
    const number = from + at;
    const tool = pick(['cheap', 'dear', 'tiered'], random);
    return request({ id: `act-${number}`, agentId: `agent-${number % AGENTS}`, tool });
  });
}

/** Returns a request, by default of the tenant `default`. Its deadline is long enough for any fault. */
export function request(action: {
  id: string;
  agentId: string;
  tool: string;
  tenant?: string;
  deadlineMs?: number;
}): Outgoing {
  return {
    key: agentKey(action.tenant ?? 'default', action.agentId),
    value: JSON.stringify({
      event: 'action.requested',
      action: { type: 'tool_call', deadlineMs: 3_600_000, ...action },
    }),
  };
}

/** Returns the outcome of an allowed action. Its cost is a random amount up to `highestMicros`. */
export function outcome(
  { actionId, agentId, tenant }: Decision,
  random: () => number,
  highestMicros: number,
): Outgoing {
  const status = pick(['success', 'success', 'failure', 'cancelled'], random);
  const outcome = {
    actionId,
    agentId,
    tenant,
    status,
    ...(random() < 0.5 ? { actualCostMicros: Math.floor(random() * highestMicros) } : {}),
    ...(random() < 0.3 ? { verification: { ok: random() < 0.8 } } : {}),
  };
  return { key: agentKey(tenant, agentId), value: JSON.stringify({ event: 'action.completed', outcome }) };
}

/** Returns a random one of the values. */
export function pick<T>(values: readonly T[], random: () => number): T {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new RangeError('nothing to pick from');
  return value;
}
