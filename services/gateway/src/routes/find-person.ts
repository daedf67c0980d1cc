/** POST /v1/persons/find: returns the forms of a person's id in the audit, to search for. */

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
          'Search the audit for `ref`, and for `pseudonym` as a principal. The answer does not say whether any text of ' +
          'the person was ever sealed. The read is recorded before the answer is sent.',
        body: z
          .strictObject({
            person: described(personId, 'The id of the person, exactly as agents send it.', 'mia_li_3668'),
          })
          .meta({ examples: [{ person: 'mia_li_3668' }] }),
        response: {
          200: z.object({
            ref: described(
              personRef,
              'The beginning of every sealed text of the person. Search for it.',
              'sealed:v1:0011223344556677:8899aabbccddeeff',
            ),
            pseudonym: described(
              z.string().nullable(),
              'The pseudonym of the person as a principal. null: the person was forgotten.',
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
