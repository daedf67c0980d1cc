/** GET /v1/dead-letters: records that could not be read, newest first. */

import { count, deadLetter, described, TOPICS } from '@mandate/schemas';
import { HttpProblem, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import { newestFirst } from '../dead-letters/newest-first.ts';
import { cursorOf, positionOf } from '../dead-letters/page-cursor.ts';
import { letterIn } from '../dead-letters/read-letter.ts';
import type { Gateway } from '../gateway.ts';

const listed = deadLetter.shape.deadLetter.extend({
  partition: described(count, 'The partition of the dead letter on the dead-letter topic.', 2),
  offset: described(count, 'The offset of the dead letter in its partition.', 17),
});

export function listDeadLetters(server: HttpServer, gateway: Gateway): void {
  server.get(
    '/v1/dead-letters',
    {
      // Only operators of the plane may list dead letters, because an unreadable record names no tenant that can be
      // trusted.
      config: { scope: 'operate:all' },
      schema: {
        tags: ['dead letters'],
        summary: 'List dead letters with their bytes and faults; newest first',
        querystring: z.strictObject({
          limit: described(
            z.coerce.number().int().min(1).max(200).default(50),
            'How many dead letters to return at most.',
            20,
          ),
          before: described(
            z.string().max(300_000).optional(),
            'The `next` of the previous page.',
            'eyIyIjoxN30',
          ),
        }),
        response: {
          200: z.object({
            deadLetters: described(z.array(listed), 'The dead letters, the newest first.'),
            next: described(
              z.string().nullable(),
              'Give it as `before` to get the next page. null: this is the last page.',
              'eyIyIjoxN30',
            ),
          }),
        },
      },
    },
    async (request) => {
      await gateway.reads.recordRead(request);
      const { limit, before } = request.query;
      const position = before === undefined ? new Map<number, number>() : positionOf(before);
      if (position === null) {
        throw new HttpProblem(400, 'INVALID_CURSOR', '`before` is not the `next` of a page', {
          remedy: 'Begin again without it.',
        });
      }
      const { records, next } = await newestFirst(gateway.bus, TOPICS.deadLetters, {
        limit,
        before: position,
        isWanted: (record) => letterIn(record) !== null,
      });
      const deadLetters = records.flatMap((record) => {
        const { partition, offset } = record.position;
        const letter = letterIn(record);
        return letter === null ? [] : [{ partition, offset, ...letter }];
      });
      return { deadLetters, next: next === null ? null : cursorOf(next) };
    },
  );
}
