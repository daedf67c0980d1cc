/** POST /v1/revive: clears the kill flag of a whole tenant, or the flag for everything. */
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import { operatorCommand } from '../commands/operator-command.ts';
import { revive } from '../commands/pull-kill-switch.ts';
import { tryRevive } from '../commands/try-kill-switch.ts';
import { wideTarget } from '../commands/wide-target.ts';
import type { Gateway } from '../gateway.ts';
import { dryRunQuery, reviveAnswer, wideBody, wouldRevive } from './command-shapes.ts';

export function reviveEverything(server: HttpServer, gateway: Gateway): void {
  server.post(
    '/v1/revive',
    {
      config: {
        urgent: true,
        counted: 'changes',
        scope: 'operate',
        refusals: { 409: 'The kill switch was pulled again meanwhile.' },
      },
      schema: {
        tags: ['kill switch'],
        summary: 'End the kill of the tenant, or of everything',
        description: 'Agents with a kill of their own stay killed.',
        querystring: dryRunQuery,
        body: wideBody,
        response: { 200: z.union([wouldRevive, reviveAnswer]) },
      },
    },
    (request) => {
      const key = callerOf(request);
      const { scope, reason = 'revived by an operator' } = request.body;
      const target = wideTarget(key, scope);
      if (request.query.dryRun) return tryRevive(gateway, target);
      const command = operatorCommand(request, gateway, { prefix: 'rev', parts: [target], reason });
      return revive(gateway, target, command);
    },
  );
}
