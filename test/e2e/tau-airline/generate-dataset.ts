/**
 * Generates a replacement for the real data set from a seed. It has the same tools and scenarios. A simple loop
 * computes the expected results.
 */
import { createHash } from 'node:crypto';
import { seededRandom } from '@mandate/testing';
import { costOf, type Dataset, type Scenario, type ScenarioMandate, type ToolCall } from './scenario.ts';

const TOOLS = [
  'book_reservation',
  'calculate',
  'cancel_reservation',
  'get_reservation_details',
  'get_user_details',
  'list_all_airports',
  'search_direct_flight',
  'search_onestop_flight',
  'send_certificate',
  'think',
  'transfer_to_human_agents',
  'update_reservation_baggages',
  'update_reservation_flights',
  'update_reservation_passengers',
];

const READ_ONLY = ['get_*', 'search_*', 'list_*', 'calculate', 'think', 'transfer_to_human_agents'];

const MANDATES: Record<string, ScenarioMandate> = {
  open: {},
  'read-only': { allowedTools: READ_ONLY },
  'no-cancellations': { deniedTools: ['cancel_*'] },
  'ten-calls': { maxCalls: 10 },
  'small-certificates': { argumentMax: { send_certificate: { amount: 100 } } },
  'quarter-dollar': { maxCostTotal: 250_000, maxCostPerCall: 100_000 },
  everything: {
    allowedTools: [...READ_ONLY, 'book_*', 'cancel_*', 'update_*'],
    deniedTools: ['update_reservation_passengers'],
    maxCostTotal: 400_000,
    maxCalls: 12,
  },
};

export function generateDataset(): Dataset {
  const random = seededRandom(20_261_121);
  const calls: ToolCall[] = [];
  for (let agent = 0; agent < 100; agent++) {
    const agentId = `airline-${String(agent).padStart(3, '0')}`;
    for (let count = Math.floor(random() * 16); count > 0; count--) {
      const tool = TOOLS[Math.floor(random() * TOOLS.length)] ?? 'think';
      calls.push({ agentId, tool, args: { amount: Math.floor(random() * 200) } });
    }
  }
  const scenarios = Object.fromEntries(
    Object.entries(MANDATES).map(([name, mandate]) => [name, answer(mandate, calls)]),
  );
  return {
    origin: 'generated (the tau-airline data does not lie beside this clone)',
    calls,
    tools: TOOLS,
    scenarios,
  };
}

function answer(mandate: ScenarioMandate, calls: readonly ToolCall[]): Scenario {
  const spent = new Map<string, { micros: number; calls: number }>();
  const blocked = new Set<string>();
  const sequence = calls.map((call) => {
    const agent = spent.get(call.agentId) ?? { micros: 0, calls: 0 };
    spent.set(call.agentId, agent);
    const code = codeFor(mandate, call, agent);
    if (code === 'ALLOW') {
      agent.micros += costOf(call.tool);
      agent.calls++;
    } else {
      blocked.add(call.agentId);
    }
    return code;
  });
  const decisions: Record<string, number> = {};
  for (const code of sequence) decisions[code] = (decisions[code] ?? 0) + 1;
  return {
    mandate,
    decisions,
    agentsWithABlock: blocked.size,
    allowedCostMicros: [...spent.values()].reduce((sum, { micros }) => sum + micros, 0),
    sequenceSha256: createHash('sha256').update(sequence.join('\n')).digest('hex'),
  };
}

function codeFor(
  mandate: ScenarioMandate,
  { tool, args }: ToolCall,
  agent: { micros: number; calls: number },
): string {
  const matches = (patterns: readonly string[]) =>
    patterns.some((pattern) =>
      pattern.endsWith('*') ? tool.startsWith(pattern.slice(0, -1)) : tool === pattern,
    );
  if (mandate.deniedTools && matches(mandate.deniedTools)) return 'TOOL_DENIED';
  if (mandate.allowedTools && !matches(mandate.allowedTools)) return 'TOOL_NOT_ALLOWED';
  for (const [name, max] of Object.entries(mandate.argumentMax?.[tool] ?? {})) {
    if (!(Number(args[name]) <= max)) return 'ARGUMENT_VALIDATION_FAILED';
  }
  const cost = costOf(tool);
  if (mandate.maxCostPerCall !== undefined && cost > mandate.maxCostPerCall) return 'COST_LIMIT_EXCEEDED';
  if (mandate.maxCostTotal !== undefined && agent.micros + cost > mandate.maxCostTotal)
    return 'COST_LIMIT_EXCEEDED';
  if (mandate.maxCalls !== undefined && agent.calls >= mandate.maxCalls) return 'RATE_LIMIT_EXCEEDED';
  return 'ALLOW';
}
