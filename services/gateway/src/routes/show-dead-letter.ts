/** GET /v1/dead-letters/:partition/:offset: one record that could not be read, and its republications. */

import { count, deadLetter, deadLetterRepublished, described, textOfLetter } from '@mandate/schemas';
import type { HttpServer } from '@mandate/server';
import { z } from 'zod';
import { letterAt, letterPosition } from '../dead-letters/read-letter.ts';
import { republicationsOf } from '../dead-letters/republications.ts';
import type { Gateway } from '../gateway.ts';

export function showDeadLetter(server: HttpServer, gateway: Gateway): void {
  server.get(
    '/v1/dead-letters/:partition/:offset',
    {
      config: { scope: 'operate:all', refusals: { 404: 'There is no dead letter at this position.' } },
      schema: {
        tags: ['dead letters'],
        summary: 'Show one dead letter, and who published it again',
        description:
          'The answer comes from the log alone. /v1/audit/dead-letters/{id} also shows what became of the records that were published.',
        params: letterPosition,
        response: {
          200: z.object({
            deadLetter: described(deadLetter.shape.deadLetter, 'The dead letter.'),
            partition: described(count, 'The partition of the dead letter on the dead-letter topic.', 2),
            offset: described(count, 'The offset of the dead letter in its partition.', 17),
            headers: described(
              z.record(z.string(), z.string()),
              'The headers of the dead letter on the log, such as its trace.',
              { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' },
            ),
            text: described(
              z.string().nullable(),
              'What the producer sent, as text. null: the bytes are not UTF-8.',
              '{"event":"action.requested","action":{"id":"act_7f44","attempt":0}}',
            ),
            republications: described(
              z.array(deadLetterRepublished.shape.republication),
              'Each time that it was published again, the oldest first.',
            ),
          }),
        },
      },
    },
    async (request) => {
      await gateway.reads.recordRead(request);
      const found = await letterAt(gateway, request.params);
      return {
        deadLetter: found.letter,
        ...request.params,
        headers: { ...found.record.headers },
        text: textOfLetter(found.letter),
        republications: await republicationsOf(gateway, found),
      };
    },
  );
}
