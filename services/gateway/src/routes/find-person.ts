/** POST /v1/persons/find: by what a person can be found in the audit. */
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import type { Gateway } from '../gateway.ts';
import { keysOf, NOT_SEALED, personId, personRef } from '../persons/sealed-persons.ts';

export function findPerson(server: HttpServer, gateway: Gateway): void {
  server.post(
    '/v1/persons/find',
    {
      config: { scope: 'persons', refusals: NOT_SEALED },
      schema: {
        tags: ['persons'],
        summary: 'By what a person can be found in the audit',
        description:
          'Says nothing of whether anything was ever sealed of the person: search for `ref`, and for `pseudonym` as a principal. On record before it is answered.',
        body: z.strictObject({ person: personId }).meta({ examples: [{ person: 'mia_li_3668' }] }),
        response: {
          200: z.object({
            ref: personRef,
            pseudonym: z
              .string()
              .nullable()
              .describe('What stands for the person’s id as a principal; null once erased.'),
            erased: z.boolean(),
          }),
        },
      },
    },
    async (request) => {
      const found = keysOf(gateway).find(callerOf(request).tenant, request.body.person);
      await gateway.reads.recordRead(request, { refs: [found.ref] });
      return found;
    },
  );
}
