/** GET /v1/actions/:id: the decision that stands, whenever one asks. */
import { callerOf, HttpProblem, type HttpServer } from '@mandate/runtime';
import { CAPS, decision, id, source } from '@mandate/schemas';
import { z } from 'zod';
import { wholeOf } from '../answers/recent-answers.ts';
import type { Gateway } from '../gateway.ts';
import { withheldFor, withheldReasons } from '../hand-over.ts';
import { maySee, seesEveryAgent } from '../own-agents.ts';

export function showDecision(server: HttpServer, gateway: Gateway): void {
  server.get(
    '/v1/actions/:id',
    {
      config: { scope: ['publish', 'audit'], refusals: { 404: 'No decision on that action is known yet.' } },
      schema: {
        tags: ['publish'],
        summary: 'The decision that stands for an action',
        description:
          'Of the newest attempt, unless one is asked for. Ids belong to an agent: name it where two share one. Asked with a key that sees every agent, it is on record before it is answered.',
        params: z.object({ id: id.describe('The action’s id.').meta({ examples: ['act_1'] }) }),
        querystring: z.strictObject({
          agentId: id
            .optional()
            .describe('Whose action it is.')
            .meta({ examples: ['airline-007'] }),
          attempt: z.coerce
            .number()
            .int()
            .min(1)
            .max(CAPS.attempts)
            .optional()
            .describe('Which attempt at it.'),
        }),
        response: {
          200: z.object({
            actionId: z.string(),
            attempt: z.int(),
            source,
            decision,
            withheld: z
              .boolean()
              .describe(
                'The record on the log says ALLOW, but the agent was killed after it, whether it was revived since or not: it must not begin. One that was handed over before the kill, and runs, is shown so too.',
              ),
          }),
        },
      },
    },
    async (request) => {
      const key = callerOf(request);
      const asked = { actionId: request.params.id, ...request.query };
      // An agent that asks what became of its own action is no reader of the audit; whoever sees those of all is one.
      if (seesEveryAgent(key)) await gateway.reads.recordRead(request);
      const visible = (agentId: string) => maySee(key, agentId);
      const recent = gateway.board.recent.standing(key.tenant, asked, visible);
      const standing =
        (recent && wholeOf(recent)) ?? (await gateway.findDecision?.(key.tenant, asked)) ?? null;
      if (standing === null || !visible(standing.agentId)) throw notDecided(asked.actionId);

      const [reason = null] = await withheldReasons(gateway, key.tenant, [standing]);
      return {
        actionId: standing.actionId,
        attempt: standing.attempt,
        source: standing.source,
        decision: reason === null ? standing : withheldFor(reason, standing),
        withheld: reason !== null,
      };
    },
  );
}

/** Also where another agent's action has this id: whether it exists is not the caller's business. */
function notDecided(actionId: string): HttpProblem {
  return new HttpProblem(404, 'DECISION_NOT_FOUND', `no decision on the action ${actionId} is known yet`, {
    remedy:
      'If it was published, ask again in a moment; name its agent with ?agentId= where agents share an id.',
  });
}
