/** GET /v1/agents/:id/kill-status: what stops this agent, if anything, and whether an agent of this name is known. */

import { described, nearestName } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import { killStatus } from '../commands/pull-kill-switch.ts';
import type { Gateway } from '../gateway.ts';
import { maySee, mustSpeakFor, seesEveryAgent } from '../own-agents.ts';
import { agentParams, agentStatus, killed } from './command-shapes.ts';

/** The maximum number of steps of the search for a similar name. They take about 10 ms. */
const NAME_STEPS = 1_000_000;

export function showKillStatus(server: HttpServer, gateway: Gateway): void {
  server.get(
    '/v1/agents/:id/kill-status',
    {
      config: { urgent: true, scope: ['operate', 'audit', 'publish'] },
      schema: {
        tags: ['kill switch'],
        summary: 'Show whether an agent is stopped, and by which kill',
        description:
          'Also works for unknown agents, because a kill of the tenant or of everything stops these too.',
        params: agentParams,
        response: {
          200: z.object({
            agentId: described(z.string(), 'The id of the agent.', 'airline-007'),
            killed,
            status: agentStatus,
            nearest: described(
              z.string().nullable(),
              'If `status` is null: the known agent with the most similar id. null: no id is similar, or the key does not see every agent.',
              'airline-007',
            ),
          }),
        },
      },
    },
    async (request) => {
      const key = callerOf(request);
      const agentId = request.params.id;
      if (!maySee(key, agentId)) mustSpeakFor(key, { agentId });
      const { register } = gateway;
      const status = register.statusOf(key.tenant, agentId);
      const asksForName = status === null && seesEveryAgent(key);
      const nearest = asksForName ? nearestName(agentId, register.names(key.tenant), NAME_STEPS) : undefined;
      return {
        agentId,
        killed: await killStatus(gateway, key.tenant, agentId),
        status,
        nearest: nearest ?? null,
      };
    },
  );
}
