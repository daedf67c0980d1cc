/** POST /v1/kill: stops a whole tenant, or all tenants. */
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import { boundedKill } from '../commands/bounded-kill.ts';
import { operatorCommand } from '../commands/operator-command.ts';
import { tryKill } from '../commands/try-kill-switch.ts';
import { wideTarget } from '../commands/wide-target.ts';
import type { Gateway } from '../gateway.ts';
import { dryRunQuery, KILLS_THAT_COUNT, killAnswer, wideBody, wouldKill } from './command-shapes.ts';

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
        summary: 'Stop every agent of the tenant, or of all tenants',
        description: `The scope \`all\` stops all tenants, and needs a key with \`operate:all\`. Agents that appear later are stopped too. ${KILLS_THAT_COUNT}`,
        querystring: dryRunQuery,
        body: wideBody,
        response: { 200: z.union([wouldKill, killAnswer]) },
      },
    },
    (request) => {
      const { scope, reason = 'killed by an operator' } = request.body;
      const key = callerOf(request);
      const target = wideTarget(key, scope);
      if (request.query.dryRun) return tryKill(gateway, request, target);
      const command = operatorCommand(request, gateway, { prefix: 'kil', parts: [target], reason });
      return boundedKill(gateway, request, target, command);
    },
  );
}
