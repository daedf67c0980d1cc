/** POST /v1/agents/:id/revive: clears the kill flag of one agent. */

import type { KillTarget } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import { operatorCommand } from '../commands/operator-command.ts';
import { killStatus, revive } from '../commands/pull-kill-switch.ts';
import { tryRevive } from '../commands/try-kill-switch.ts';
import type { Gateway } from '../gateway.ts';
import { agentBody, agentParams, dryRunQuery, killed, reviveAnswer, wouldRevive } from './command-shapes.ts';

export function reviveAgent(server: HttpServer, gateway: Gateway): void {
  server.post(
    '/v1/agents/:id/revive',
    {
      config: {
        urgent: true,
        counted: 'changes',
        scope: 'operate',
        refusals: { 409: 'The kill switch was pulled again meanwhile.' },
      },
      schema: {
        tags: ['kill switch'],
        summary: 'Revive an agent',
        description:
          'Ends only the kill of this agent. With `subtree`, it ends only the kill of the agent and its descendants. ' +
          '`killed` shows what still stops the agent, such as a kill of its tenant.',
        params: agentParams,
        querystring: dryRunQuery,
        body: agentBody,
        response: { 200: z.union([wouldRevive, reviveAnswer.extend({ killed })]) },
      },
    },
    async (request) => {
      const { tenant } = callerOf(request);
      const agentId = request.params.id;
      const scope = request.body?.subtree ? 'subtree' : 'agent';
      const target: KillTarget = { scope, tenant, agentId };
      if (request.query.dryRun) return tryRevive(gateway, target);
      const reason = request.body?.reason ?? 'revived by an operator';
      const command = operatorCommand(request, gateway, { prefix: 'rev', parts: [target], reason });
      const revived = await revive(gateway, target, command);
      return { ...revived, killed: await killStatus(gateway, tenant, agentId) };
    },
  );
}
