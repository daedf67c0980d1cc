/** GET /v1/ledger/agents: the agents that the ledger knows, what they spent, what they have open, what stops them. */
import type { Ledger } from '@mandate/ledger';
import { callerOf, type HttpServer } from '@mandate/runtime';
import { count, id, TOTAL_BUDGET } from '@mandate/schemas';
import { z } from 'zod';
import { killStatus } from '../commands/pull-kill-switch.ts';
import { type Gateway, ledgerOf } from '../gateway.ts';
import { killed } from './command-shapes.ts';

const agent = z.object({
  agentId: z.string(),
  spentMicros: z.int().describe('In its whole life, reservations included.'),
  openActions: count,
  killed,
  retired: z.boolean().describe('Registered no more: until it is again, nothing is allowed to it.'),
});

export function listAgents(server: HttpServer, gateway: Gateway): void {
  server.get(
    '/v1/ledger/agents',
    {
      config: { scope: ['operate', 'audit'] },
      schema: {
        tags: ['agents'],
        summary: 'Agents that spent, have something open, or were killed; by id',
        description: 'On record before it is answered.',
        querystring: z.strictObject({
          limit: z.coerce.number().int().min(1).max(1_000).default(100).describe('At most so many.'),
          after: id.optional().describe('The `next` of the page before.'),
        }),
        response: { 200: z.object({ agents: z.array(agent), next: z.string().nullable() }) },
      },
    },
    async (request) => {
      await gateway.reads.recordRead(request);
      const ledger = ledgerOf(gateway);
      const { tenant } = callerOf(request);
      const { limit, after = '' } = request.query;
      const known = await agentsOf(ledger, tenant);
      const ids = [...known.keys()].filter((agentId) => agentId > after).sort();
      const page = ids.slice(0, limit);
      const agents = await Promise.all(
        page.map(async (agentId) => {
          const counts = known.get(agentId) ?? { spentMicros: 0, openActions: 0 };
          const killed = await killStatus(gateway, tenant, agentId);
          return { agentId, ...counts, killed, retired: gateway.isRetired(tenant, agentId) };
        }),
      );
      return { agents, next: ids.length > limit ? (page.at(-1) ?? null) : null };
    },
  );
}

type Counts = { spentMicros: number; openActions: number };

async function agentsOf(ledger: Ledger, tenant: string): Promise<ReadonlyMap<string, Counts>> {
  const [balances, open, flags] = await Promise.all([
    ledger.balances(tenant),
    ledger.open(tenant),
    ledger.killed(tenant),
  ]);
  const agents = new Map<string, Counts>();
  const countsOf = (agentId: string): Counts => {
    const known = agents.get(agentId) ?? { spentMicros: 0, openActions: 0 };
    agents.set(agentId, known);
    return known;
  };
  for (const { budget, spentMicros } of balances) {
    if (budget.scope === 'agent' && budget.id === TOTAL_BUDGET && budget.windowMs === null) {
      countsOf(budget.subject).spentMicros = spentMicros;
    }
  }
  for (const { agentId } of open) countsOf(agentId).openActions += 1;
  for (const { target } of flags) if ('agentId' in target) countsOf(target.agentId);
  return agents;
}
