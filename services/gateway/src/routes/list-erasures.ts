/** GET /v1/persons/erasures: when people were forgotten, by which key and why; never which people. */

import { count } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import type { Gateway } from '../gateway.ts';
import { erasuresOf } from '../persons/list-erasures.ts';
import { personRef } from '../persons/sealed-persons.ts';

const erasure = z.object({
  commandId: z.string(),
  ref: personRef,
  by: z.string(),
  reason: z.string(),
  at: z.string(),
});

export function listErasures(server: HttpServer, gateway: Gateway): void {
  server.get(
    '/v1/persons/erasures',
    {
      config: { scope: ['persons', 'audit'] },
      schema: {
        tags: ['persons'],
        summary: 'Who was forgotten, by `ref`: by whom, when and why; newest first',
        description:
          'From the log, of the caller’s tenant; never who it was. Who was erased again is there again. A page may hold fewer than asked for, or none, though there are more: `next` says so. On record before it is answered.',
        querystring: z.strictObject({
          limit: z.coerce.number().int().min(1).max(200).default(50).describe('At most so many.'),
          before: z.coerce.number().pipe(count).optional().describe('The `next` of the page before.'),
        }),
        response: { 200: z.object({ erasures: z.array(erasure), next: count.nullable() }) },
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
