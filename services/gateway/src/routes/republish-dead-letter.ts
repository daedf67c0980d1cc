/** POST /v1/dead-letters/:partition/:offset/republish: sends a record back to where it came from. */
import { HttpProblem, type HttpServer } from '@mandate/runtime';
import { count, source, TOPICS } from '@mandate/schemas';
import { z } from 'zod';
import { readDeadLetter, republish } from '../dead-letters/republish.ts';
import type { Gateway } from '../gateway.ts';

const position = z.coerce.number().pipe(count);

export function republishDeadLetter(server: HttpServer, gateway: Gateway): void {
  server.post(
    '/v1/dead-letters/:partition/:offset/republish',
    {
      config: { scope: 'operate:all' },
      schema: {
        tags: ['dead letters'],
        summary: 'Publish a dead letter again: as it was, or corrected',
        params: z.object({ partition: position, offset: position }),
        body: z
          .strictObject({
            value: z.json().describe('The corrected record: action.requested or action.completed.'),
          })
          .nullish(),
        response: { 202: z.object({ deadLetterId: z.string(), source }) },
      },
    },
    async (request, reply) => {
      const { bus, redact } = gateway;
      const coordinate = { topic: TOPICS.deadLetters, ...request.params };
      const record = await bus.at(coordinate);
      if (record === null) {
        throw new HttpProblem(404, 'DEAD_LETTER_NOT_FOUND', 'no dead letter lies there', {
          remedy: 'GET /v1/dead-letters lists them with partition and offset.',
        });
      }
      const letter = readDeadLetter(record.value).deadLetter;
      const {
        coordinate: { topic, partition, offset },
      } = await republish(bus, letter, request.body ?? null, redact);
      request.log.warn({ deadLetterId: letter.id, topic, partition, offset }, 'dead letter published again');
      reply.code(202);
      return { deadLetterId: letter.id, source: { topic, partition, offset: String(offset) } };
    },
  );
}
