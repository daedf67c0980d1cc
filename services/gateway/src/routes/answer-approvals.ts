/** POST /v1/approvals: a person grants or denies an action that was deferred. */
import { callerOf, type HttpServer } from '@mandate/runtime';
import { count, id, time } from '@mandate/schemas';
import { z } from 'zod';
import { answerApproval } from '../commands/answer-approval.ts';
import { operatorCommand } from '../commands/operator-command.ts';
import type { Gateway } from '../gateway.ts';
import { reason } from './command-shapes.ts';

const FIVE_MINUTES_MS = 5 * 60_000;
const ONE_DAY_MS = 24 * 3_600_000;

export function answerApprovals(server: HttpServer, gateway: Gateway): void {
  server.post(
    '/v1/approvals',
    {
      config: { scope: 'operate' },
      schema: {
        tags: ['approvals'],
        summary: 'Grant or deny an action that waits for a person',
        description:
          'The agent then publishes the same action again; a grant is used up by the ALLOW that it leads to.',
        body: z
          .strictObject({
            agentId: id,
            actionId: id,
            digest: id.describe('Of the decision that deferred it: another payload needs another answer.'),
            answer: z.enum(['granted', 'denied']),
            expiresInMs: z.int().min(1_000).max(ONE_DAY_MS).default(FIVE_MINUTES_MS),
            reason,
          })
          .meta({
            examples: [
              {
                agentId: 'airline-007',
                actionId: 'act_1',
                digest: 'the digest of the decision',
                answer: 'granted',
                reason: 'the customer asked for it on the phone',
              },
            ],
          }),
        response: {
          200: z.object({
            commandId: z.string(),
            epoch: z.string(),
            sequence: count,
            atMs: count,
            expiresAt: time,
          }),
        },
      },
    },
    async (request) => {
      const { tenant } = callerOf(request);
      const { reason, ...approval } = request.body;
      const parts = [approval];
      const command = operatorCommand(request, gateway, { prefix: 'apr', parts, reason });
      const receipt = await answerApproval(gateway, { tenant, ...approval }, command);
      return { commandId: command.id, ...receipt };
    },
  );
}
