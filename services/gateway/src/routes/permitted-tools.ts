/** POST /v1/agents/:id/permitted-tools: an agent, or a proxy in front of its tools, learns which tools it may call. */
import { described, toolCall } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import type { Gateway } from '../gateway.ts';
import { mustSpeakFor } from '../own-agents.ts';
import { pinClaims } from '../publish/pin-claims.ts';
import { agentParams } from './command-shapes.ts';

const MOST_TOOLS = 1_000;

const { tool, args, principal, context, mandateId } = toolCall.shape;

const body = z
  .strictObject({
    tools: described(
      z.array(z.strictObject({ tool, args })).min(1).max(MOST_TOOLS),
      'The tools to ask about. With `args`, a call with exactly these arguments is meant.',
    ),
    ...{ principal, context, mandateId },
  })
  .meta({ examples: [{ tools: [{ tool: 'search' }, { tool: 'send_certificate' }] }] });

export function permittedTools(server: HttpServer, gateway: Gateway): void {
  server.post(
    '/v1/agents/:id/permitted-tools',
    {
      config: { scope: 'publish' },
      schema: {
        tags: ['agents'],
        summary: 'Show which tools the policies let an agent call',
        description:
          'For programs that show a model only the tools that it may call. Nothing is decided or recorded. Limits do not ' +
          'count, so a permitted call may be refused. A policy that only observes refuses nothing.',
        params: agentParams,
        body,
        response: {
          200: z.object({
            permitted: described(
              z.array(z.boolean().nullable()),
              'For each tool, in the order of the request: false if the policies refuse every call of it. null: this gateway does not have the mandate of the agent.',
              [true, false],
            ),
          }),
        },
      },
    },
    async (request) => {
      const key = callerOf(request);
      const agentId = request.params.id;
      mustSpeakFor(key, { agentId });
      const { tools, ...stated } = request.body;
      const claims = pinClaims(key, stated)?.claims ?? {};
      return { permitted: gateway.permits(key.tenant, { ...stated, ...claims, agentId }, tools) };
    },
  );
}
