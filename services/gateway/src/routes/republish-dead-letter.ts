/** POST /v1/dead-letters/:partition/:offset/republish: publishes a record to its own topic again. */

import { type ApiKeyRecord, described, type Json, logPosition } from '@mandate/schemas';
import { callerOf, forbidden, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import { operatorCommand } from '../commands/operator-command.ts';
import { oneAtATime } from '../dead-letters/one-at-a-time.ts';
import { letterAt, letterPosition } from '../dead-letters/read-letter.ts';
import { republish } from '../dead-letters/republish.ts';
import type { Gateway } from '../gateway.ts';
import { reason } from './command-shapes.ts';
import { reporterOf } from './reporter-of.ts';

export function republishDeadLetter(server: HttpServer, gateway: Gateway): void {
  // At this gateway, requests for the same letter run one after the other, so a later request sees the result of an
  // earlier one. If two gateways republish a letter at the same time, the history shows both republications.
  const inTurn = oneAtATime();
  server.post(
    '/v1/dead-letters/:partition/:offset/republish',
    {
      config: {
        counted: 'changes',
        scope: 'operate:all',
        refusals: {
          404: 'There is no dead letter at this position.',
          409: 'The dead letter was published again before, or cannot be published. `code` names the reason.',
        },
      },
      schema: {
        tags: ['dead letters'],
        summary: 'Publish a dead letter again, unchanged or corrected',
        description:
          'Send an Idempotency-Key, so that a repeated request counts once. To publish a dead letter a second time, set ' +
          '`again`. To correct an action, the key also needs the scope `publish`; to correct an outcome, the scope ' +
          '`report`. A correction cannot change the agent of the record.',
        params: letterPosition,
        body: z
          .strictObject({
            value: described(
              z.json().optional(),
              'The corrected record: `action.requested` or `action.completed`. By default, the record is published unchanged.',
              {
                event: 'action.requested',
                action: {
                  id: 'act_7f44',
                  agentId: 'airline-007',
                  type: 'tool_call',
                  tool: 'get_user',
                  attempt: 1,
                },
              },
            ),
            reason: described(
              reason.optional(),
              'Why it is published again. The record always keeps it.',
              'attempt counts from 1',
            ),
            again: described(
              z.boolean().default(false),
              'Whether to publish the dead letter although it was published again before.',
              true,
            ),
          })
          .nullish()
          .meta({ examples: [{ reason: 'the ledger was away' }] }),
        response: {
          202: z.object({
            deadLetterId: described(
              z.string(),
              'The dead letter that was published again.',
              'dlq_01ke6qys6r234a8ff792246c8f031c',
            ),
            republicationId: described(
              z.string(),
              'The id of the command on the log.',
              'rep_01ke6r2v8q0b1c2d3e4f5a6b7c8d9e',
            ),
            corrected: described(
              z.boolean(),
              'Whether the record was corrected. false: it was published byte for byte.',
              true,
            ),
            source: described(logPosition, 'The log position of the new record.'),
          }),
        },
      },
    },
    async (request, reply) => {
      const found = await letterAt(gateway, request.params);
      if (request.body?.value !== undefined) mustBePublisher(callerOf(request), request.body.value);
      const { value, reason = '', again = false } = request.body ?? {};
      const corrected = value === undefined ? null : { value };
      const parts = [found.letter.id, corrected];
      const command = operatorCommand(request, gateway, { prefix: 'rep', parts, reason });
      const { letterId, id, ...republished } = await inTurn(found.letter.id, () =>
        republish(gateway, found, { command, corrected, again, reporter: reporterOf(request) }),
      );
      const { topic, partition, offset } = republished.source;
      request.log.warn({ deadLetterId: letterId, topic, partition, offset }, 'dead letter published again');
      reply.code(202);
      return {
        deadLetterId: letterId,
        republicationId: id,
        corrected: republished.corrected,
        source: republished.source,
      };
    },
  );
}

/**
 * Throws if the key may not publish. Otherwise an operator of the plane could act for any agent of any tenant. A
 * value that is not an event is refused later, as unreadable.
 */
function mustBePublisher({ scopes }: ApiKeyRecord, value: Json): void {
  const isOutcome =
    typeof value === 'object' && value !== null && 'event' in value && value.event === 'action.completed';
  const scope = isOutcome ? 'report' : 'publish';
  if (!scopes.includes(scope)) throw forbidden([scope]);
}
