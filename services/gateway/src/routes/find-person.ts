/** POST /v1/persons/find: the forms in which the audit stores a person's id, to search for. */

import { described } from '@mandate/schemas';
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
        summary: 'Show how a person can be found in the audit',
        description:
          'Says nothing of whether anything was ever sealed of the person: search for `ref`, and for `pseudonym` as a principal. On record before it is answered.',
        body: z
          .strictObject({
            person: described(personId, 'The id of the person, exactly as agents send it.', 'mia_li_3668'),
          })
          .meta({ examples: [{ person: 'mia_li_3668' }] }),
        response: {
          200: z.object({
            ref: described(
              personRef,
              'What every sealed text of the person begins with. Search for it.',
              'sealed:v1:0011223344556677:8899aabbccddeeff',
            ),
            pseudonym: described(
              z.string().nullable(),
              'The name that stands for the person as a principal. null: the person was forgotten.',
              'person_8899aabbccddeeff',
            ),
            erased: described(z.boolean(), 'Whether the person was forgotten.', false),
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
