/**
 * GET /v1/ledger/agents: every agent in the ledger, the register or the mandates file, with its state in the ledger.
 */
import type { Ledger } from '@mandate/ledger';
import { count, described, id, TOTAL_BUDGET } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import { killStatus } from '../commands/pull-kill-switch.ts';
import { type Gateway, ledgerOf } from '../gateway.ts';
import { agentStatus, killed } from './command-shapes.ts';

const agent = z.object({
  agentId: described(z.string(), 'The id of the agent.', 'airline-007'),
  spentMicros: described(
    z.int(),
    'What the agent has spent in its lifetime, with its reservations, in micro-dollars.',
    340_000,
  ),
  openActions: described(count, 'How many actions of the agent are open.', 1),
  killed,
  status: agentStatus,
});

export type AgentInLedger = z.output<typeof agent>;

export function listAgents(server: HttpServer, gateway: Gateway): void {
  server.get(
    '/v1/ledger/agents',
    {
      config: { scope: ['operate', 'audit'] },
      schema: {
        tags: ['agents'],
        summary: 'List agents that spent, have open calls, are killed, or are registered; by id',
        description:
          'Agents that never acted are listed if they are registered, or if the mandates file names them. The read is recorded before the answer is sent.',
        querystring: z.strictObject({
          limit: described(
            z.coerce.number().int().min(1).max(1_000).default(100),
            'How many agents to return at most.',
            20,
          ),
          after: described(id.optional(), 'The `next` of the previous page.', 'airline-007'),
        }),
        response: {
          200: z.object({
            agents: described(z.array(agent), 'The agents, by id.'),
            next: described(
              z.string().nullable(),
              'Give it as `after` to get the next page. null: this is the last page.',
              'airline-007',
            ),
          }),
        },
      },
    },
    async (request) => {
      await gateway.reads.recordRead(request);
      const ledger = ledgerOf(gateway);
      const { tenant } = callerOf(request);
      const { limit, after = '' } = request.query;
      const known = await agentsOf(ledger, tenant);
      for (const agentId of gateway.register.names(tenant)) {
        if (!known.has(agentId)) known.set(agentId, NOTHING);
      }
      const ids = [...known.keys()].filter((agentId) => agentId > after).sort();
      const page = ids.slice(0, limit);
      const agents = await Promise.all(
        page.map(async (agentId) => {
          const counts = known.get(agentId) ?? NOTHING;
          const killed = await killStatus(gateway, tenant, agentId);
          return { agentId, ...counts, killed, status: gateway.register.statusOf(tenant, agentId) };
        }),
      );
      return { agents, next: ids.length > limit ? (page.at(-1) ?? null) : null };
    },
  );
}

type Counts = { spentMicros: number; openActions: number };

const NOTHING: Readonly<Counts> = { spentMicros: 0, openActions: 0 };

async function agentsOf(ledger: Ledger, tenant: string): Promise<Map<string, Readonly<Counts>>> {
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
  for (const { budget, spent } of balances) {
    const { scope, subject, id, windowMs, unit } = budget;
    if (scope === 'agent' && id === TOTAL_BUDGET && windowMs === null && unit === undefined)
      countsOf(subject).spentMicros = spent;
  }
  for (const { agentId } of open) countsOf(agentId).openActions += 1;
  for (const { target } of flags) if ('agentId' in target) countsOf(target.agentId);
  return agents;
}
