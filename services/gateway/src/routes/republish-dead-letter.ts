/** POST /v1/dead-letters/:partition/:offset/republish: sends a record back to where it came from. */

import { type ApiKeyRecord, type Json, source } from '@mandate/schemas';
import { callerOf, forbidden, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import { operatorCommand } from '../commands/operator-command.ts';
import { oneAtATime } from '../dead-letters/one-at-a-time.ts';
import { letterAt, letterPlace } from '../dead-letters/read-letter.ts';
import { republish } from '../dead-letters/republish.ts';
import type { Gateway } from '../gateway.ts';
import { reason } from './command-shapes.ts';
import { reporterOf } from './reporter-of.ts';

export function republishDeadLetter(server: HttpServer, gateway: Gateway): void {
  // Two who press the button at once are told of each other, at this gateway. At another one the history shows both.
  const inTurn = oneAtATime();
  server.post(
    '/v1/dead-letters/:partition/:offset/republish',
    {
      config: {
        counted: 'changes',
        scope: 'operate:all',
        refusals: {
          404: 'No dead letter lies there.',
          409: 'It was published again before, or cannot be: `code` tells which.',
        },
      },
      schema: {
        tags: ['dead letters'],
        summary: 'Publish a dead letter again: as it was, or corrected',
        description:
          'Send an Idempotency-Key, so that a repeat counts once. A letter that was published again before needs `again`. ' +
          'A correction says something new, so the key needs the scope `publish` too for an action, and `report` for an outcome; ' +
          'it stays one of the agent that the record was of.',
        params: letterPlace,
        body: z
          .strictObject({
            value: z
              .json()
              .optional()
              .describe('The corrected record: action.requested or action.completed. Absent: as it was.'),
            reason: reason.optional().describe('Goes on the record.'),
            again: z.boolean().default(false).describe('Also where it was published again before.'),
          })
          .nullish()
          .meta({ examples: [{ reason: 'the ledger was away' }] }),
        response: {
          202: z.object({
            deadLetterId: z.string(),
            republicationId: z.string(),
            corrected: z.boolean(),
            source,
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
 * Without this check, an operator of the plane could act for any agent of any tenant. A value that is no event is refused
 * later, as unreadable.
 */
function mustBePublisher({ scopes }: ApiKeyRecord, value: Json): void {
  const isOutcome =
    typeof value === 'object' && value !== null && 'event' in value && value.event === 'action.completed';
  const scope = isOutcome ? 'report' : 'publish';
  if (!scopes.includes(scope)) throw forbidden([scope]);
}
