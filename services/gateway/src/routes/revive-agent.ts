/** POST /v1/agents/:id/revive: clears the agent's own flag. */

import type { KillTarget } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { operatorCommand } from '../commands/operator-command.ts';
import { killStatus, revive } from '../commands/pull-kill-switch.ts';
import type { Gateway } from '../gateway.ts';
import { agentBody, agentParams, killed, reviveAnswer } from './command-shapes.ts';

export function reviveAgent(server: HttpServer, gateway: Gateway): void {
  server.post(
    '/v1/agents/:id/revive',
    {
      config: {
        urgent: true,
        counted: 'changes',
        scope: 'operate',
        refusals: { 409: 'Somebody pulled the kill switch again meanwhile.' },
      },
      schema: {
        tags: ['kill switch'],
        summary: 'Revive an agent',
        description:
          "Clears the agent's own flag only, or with `family` that of its family; `killed` tells what stops it still, such as its tenant's.",
        params: agentParams,
        body: agentBody,
        response: { 200: reviveAnswer.extend({ killed }) },
      },
    },
    async (request) => {
      const { tenant } = callerOf(request);
      const agentId = request.params.id;
      const scope = request.body?.family ? 'family' : 'agent';
      const target: KillTarget = { scope, tenant, agentId };
      const reason = request.body?.reason ?? 'revived by an operator';
      const command = operatorCommand(request, gateway, { prefix: 'rev', parts: [target], reason });
      const revived = await revive(gateway, target, command);
      return { ...revived, killed: await killStatus(gateway, tenant, agentId) };
    },
  );
}
