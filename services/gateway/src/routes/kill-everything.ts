/** POST /v1/kill: stops a set of agents, a whole tenant, or all tenants. */
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import { boundedKill } from '../commands/bounded-kill.ts';
import { killSet, targetsOfSet } from '../commands/kill-set.ts';
import { operatorCommand } from '../commands/operator-command.ts';
import { tryKill, tryKillSet } from '../commands/try-kill-switch.ts';
import { wideTarget } from '../commands/wide-target.ts';
import type { Gateway } from '../gateway.ts';
import {
  dryRunQuery,
  KILLS_THAT_COUNT,
  killAnswer,
  killBody,
  killSetAnswer,
  wouldKill,
  wouldKillSet,
} from './command-shapes.ts';

export function killEverything(server: HttpServer, gateway: Gateway): void {
  server.post(
    '/v1/kill',
    {
      config: {
        urgent: true,
        unlimited: true,
        scope: 'operate',
        refusals: { 409: 'A revive has ended this kill, so the kill no longer stops anything.' },
      },
      schema: {
        tags: ['kill switch'],
        summary: 'Stop a set of agents, every agent of the tenant, or of all tenants',
        description: `With the scope \`agents\`, one command kills up to 100 agents, and the answer says for each agent what happened. If one of them is not killed, the answer is an error: its \`kill\` has the same facts, and the same request with the same Idempotency-Key kills the others. The scope \`all\` stops all tenants, and needs a key with \`operate:all\`. Agents that appear later are stopped too. ${KILLS_THAT_COUNT}`,
        querystring: dryRunQuery,
        body: killBody,
        response: { 200: z.union([wouldKillSet, wouldKill, killSetAnswer, killAnswer]) },
      },
    },
    (request) => {
      const { body } = request;
      const { reason = 'killed by an operator' } = body;
      const key = callerOf(request);
      if (body.scope === 'agents') {
        const targets = targetsOfSet(key.tenant, body.agents, body.subtree);
        if (request.query.dryRun) return tryKillSet(gateway, request, targets);
        const command = operatorCommand(request, gateway, { prefix: 'kil', parts: targets, reason });
        return killSet(gateway, request, targets, command);
      }
      const target = wideTarget(key, body.scope);
      if (request.query.dryRun) return tryKill(gateway, request, target);
      const command = operatorCommand(request, gateway, { prefix: 'kil', parts: [target], reason });
      return boundedKill(gateway, request, target, command);
    },
  );
}
