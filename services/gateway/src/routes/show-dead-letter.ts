/** GET /v1/dead-letters/:partition/:offset: one record that could not be read, and what was done with it. */

import { count, deadLetter, deadLetterRepublished, textOfLetter } from '@mandate/schemas';
import type { HttpServer } from '@mandate/server';
import { z } from 'zod';
import { letterAt, letterPlace } from '../dead-letters/read-letter.ts';
import { republicationsOf } from '../dead-letters/republications.ts';
import type { Gateway } from '../gateway.ts';

export function showDeadLetter(server: HttpServer, gateway: Gateway): void {
  server.get(
    '/v1/dead-letters/:partition/:offset',
    {
      config: { scope: 'operate:all', refusals: { 404: 'No dead letter lies there.' } },
      schema: {
        tags: ['dead letters'],
        summary: 'One dead letter, with who published it again',
        description:
          'From the log alone; /v1/audit/dead-letters/{id} also tells what became of what was published.',
        params: letterPlace,
        response: {
          200: z.object({
            deadLetter: deadLetter.shape.deadLetter,
            partition: count,
            offset: count,
            headers: z.record(z.string(), z.string()).describe('Of the dead letter on the log: its trace.'),
            text: z.string().nullable().describe('What the producer sent; null where it is no text.'),
            republications: z.array(deadLetterRepublished.shape.republication),
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
