/** GET /v1/agents/:id/kill-status: whether anything stops this agent. */
import { callerOf, type HttpServer } from '@mandate/runtime';
import { z } from 'zod';
import { killStatus } from '../commands/pull-kill-switch.ts';
import type { Gateway } from '../gateway.ts';
import { maySee, mustSpeakFor } from '../own-agents.ts';
import { agentParams, killed } from './command-shapes.ts';

export function showKillStatus(server: HttpServer, gateway: Gateway): void {
  server.get(
    '/v1/agents/:id/kill-status',
    {
      config: { urgent: true, scope: ['operate', 'audit', 'publish'] },
      schema: {
        tags: ['kill switch'],
        summary: 'Whether an agent is stopped, and by what',
        description: 'Also of agents that nobody has heard of: a wider flag stops those too.',
        params: agentParams,
        response: { 200: z.object({ agentId: z.string(), killed }) },
      },
    },
    async (request) => {
      const key = callerOf(request);
      const agentId = request.params.id;
      if (!maySee(key, agentId)) mustSpeakFor(key, { agentId });
      return { agentId, killed: await killStatus(gateway, key.tenant, agentId) };
    },
  );
}
