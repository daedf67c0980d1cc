/**
 * The agents of a soak and their actions, under four mandates. Budgets and rates are used up and become free again
 * all the time.
 */
import { pick } from '../support/agents-at-work.ts';

const TOOLS = `
toolPolicies:
  cheap: { cost: 0.001 }
  dear: { cost: 0.05, chargingPolicy: { type: ATTEMPT_BASED } }
  tiered: { chargingPolicy: { type: TIERED, attempt: 0.001, success: 0.002, verification: 0.0005 } }
`;

/** The lease of an action of a hasty agent, in ms. */
export const SHORT_LEASE_MS = 15_000;

export const MANDATES = [
  // All agents share one budget with a window.
  `
version: 1
id: steady
agents: ["steady-*"]
maxCostTotal: 1000
budgets: [{ id: team, scope: tenant, max: 30, windowMs: 30000 }]
${TOOLS}`,
  // Each agent has its own budget with a window. Leases are short.
  `
version: 1
id: hasty
agents: ["hasty-*"]
maxCostTotal: 1000
budgets: [{ id: own-minute, scope: agent, max: 5, windowMs: 60000 }]
${TOOLS.replaceAll('cost: 0.05,', `cost: 0.05, executionLeaseMs: ${SHORT_LEASE_MS},`)}`,
  `
version: 1
id: rated
agents: ["rated-*"]
maxCostTotal: 1000
rateLimit: { maxCalls: 100, windowMs: 10000 }
${TOOLS}`,
  // Each agent has a total budget. Agents that have used up their budget are replaced by new agents.
  `
version: 1
id: poor
agents: ["poor-*"]
maxCostTotal: 1
budgets: [{ id: poorhouse, scope: mandate, max: 40, windowMs: 60000 }]
${TOOLS}`,
].join('---');

const KINDS = ['steady', 'hasty', 'rated', 'poor'];
const OF_A_KIND = 12;
/** After this number of actions, other agents of the kind are active. */
const SHIFT = 4_000;
const SHIFTS = 4;

export type Asked = { id: string; agentId: string; tool: string; type: 'tool_call'; deadlineMs?: number };

/** Returns action number `n`. Some agents send often, others rarely. A few actions have a short deadline. */
export function actionOf(n: number, random: () => number): Asked {
  const kind = pick(KINDS, random);
  const shift = Math.floor(n / SHIFT) % (kind === 'poor' ? Number.MAX_SAFE_INTEGER : SHIFTS);
  return {
    id: `act-${n}`,
    agentId: `${kind}-${shift}-${Math.floor(random() ** 2 * OF_A_KIND)}`,
    type: 'tool_call',
    tool: pick(['cheap', 'dear', 'tiered'], random),
    deadlineMs: random() < 0.1 ? 5_000 : 3_600_000,
  };
}

export function numberOf({ actionId }: { actionId: string }): number {
  return Number(actionId.slice('act-'.length));
}
