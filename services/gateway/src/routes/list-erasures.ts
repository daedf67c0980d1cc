/**
 * GET /v1/persons/erasures: when persons were forgotten, by which key, and why. The answer does not name the persons.
 */

import { count, described } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import type { Gateway } from '../gateway.ts';
import { erasuresOf } from '../persons/list-erasures.ts';
import { personRef } from '../persons/sealed-persons.ts';

const erasure = z.object({
  commandId: described(z.string(), 'The id of the command on the log.', 'ers_01ke7t3v8c0000000000000000000a'),
  ref: described(
    personRef,
    'The beginning of every sealed text of the person.',
    'sealed:v1:0011223344556677:8899aabbccddeeff',
  ),
  by: described(z.string(), 'The person or the API key that asked for it.', 'data protection (a1B2c3D4e5F6)'),
  reason: described(z.string(), 'Why the person was forgotten.', 'asked for it, ticket 4711'),
  at: described(z.string(), 'When the person was forgotten.', '2026-01-05T10:30:42.004Z'),
});

export function listErasures(server: HttpServer, gateway: Gateway): void {
  server.get(
    '/v1/persons/erasures',
    {
      config: { scope: ['persons', 'audit'] },
      schema: {
        tags: ['persons'],
        summary: 'List erased people by `ref`, with who erased them, when and why; newest first',
        description:
          'The list comes from the log and has only erasures of the tenant of the key. It never names the person. A ' +
          'person who was forgotten twice is listed twice. A page may have fewer erasures than `limit`, or none. Only a ' +
          '`next` of null means that this is the last page. The read is recorded before the answer is sent.',
        querystring: z.strictObject({
          limit: described(
            z.coerce.number().int().min(1).max(200).default(50),
            'How many erasures to return at most.',
            20,
          ),
          before: described(z.coerce.number().pipe(count).optional(), 'The `next` of the previous page.', 17),
        }),
        response: {
          200: z.object({
            erasures: described(z.array(erasure), 'The erasures, the newest first.'),
            next: described(
              count.nullable(),
              'Give it as `before` to get the next page. null: this is the last page.',
              17,
            ),
          }),
        },
      },
    },
    async (request) => {
      await gateway.reads.recordRead(request);
      const { limit, before = null } = request.query;
      const { erasures, next } = await erasuresOf(gateway.bus, callerOf(request).tenant, { limit, before });
      return {
        erasures: erasures.map(({ id, ref, by, reason, at }) => ({ commandId: id, ref, by, reason, at })),
        next,
      };
    },
  );
}
