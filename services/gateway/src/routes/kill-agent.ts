/** POST /v1/agents/:id/kill: stops one agent. */

import type { KillTarget } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import { boundedKill } from '../commands/bounded-kill.ts';
import { operatorCommand } from '../commands/operator-command.ts';
import { tryKill } from '../commands/try-kill-switch.ts';
import type { Gateway } from '../gateway.ts';
import {
  agentBody,
  agentParams,
  dryRunQuery,
  KILLS_THAT_COUNT,
  killAnswer,
  wouldKill,
} from './command-shapes.ts';

export function killAgent(server: HttpServer, gateway: Gateway): void {
  server.post(
    '/v1/agents/:id/kill',
    {
      config: {
        urgent: true,
        unlimited: true,
        scope: 'operate',
        refusals: { 409: 'A revive has ended this kill, so the kill no longer stops anything.' },
      },
      schema: {
        tags: ['kill switch'],
        summary: 'Stop one agent, or with `subtree` its descendants too',
        description: `After the answer, nothing is allowed to the agent until a revive. ${KILLS_THAT_COUNT}`,
        params: agentParams,
        querystring: dryRunQuery,
        body: agentBody,
        response: { 200: z.union([wouldKill, killAnswer]) },
      },
    },
    (request) => {
      const { tenant } = callerOf(request);
      const scope = request.body?.subtree ? 'subtree' : 'agent';
      const target: KillTarget = { scope, tenant, agentId: request.params.id };
      if (request.query.dryRun) return tryKill(gateway, request, target);
      const reason = request.body?.reason ?? 'killed by an operator';
      const command = operatorCommand(request, gateway, { prefix: 'kil', parts: [target], reason });
      return boundedKill(gateway, request, target, command);
    },
  );
}
