/** POST /v1/persons/erase: forgets a person permanently. */

import { described } from '@mandate/schemas';
import { callerOf, HttpProblem, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import { operatorCommand } from '../commands/operator-command.ts';
import type { Gateway } from '../gateway.ts';
import { forgetPerson } from '../persons/forget-person.ts';
import { keysOf, NOT_SEALED, personId, personRef } from '../persons/sealed-persons.ts';
import { reason } from './command-shapes.ts';

const body = z
  .strictObject({
    person: described(personId, 'The id of the person, exactly as agents send it.', 'mia_li_3668'),
    reason: described(
      reason,
      'Why the person is forgotten. The log keeps the reason, but not the person.',
      'asked for it, ticket 4711',
    ),
  })
  .meta({ examples: [{ person: 'mia_li_3668', reason: 'asked for it, ticket 4711' }] });

export function erasePerson(server: HttpServer, gateway: Gateway): void {
  server.post(
    '/v1/persons/erase',
    {
      config: { counted: 'changes', scope: 'persons', refusals: NOT_SEALED },
      schema: {
        tags: ['persons'],
        summary: "Forget a person: destroy the key of the person's sealed texts",
        description:
          'After the answer, this gateway cannot read any sealed text of the person. All other running gateways follow a ' +
          'moment later. A gateway that is down forgets the person before it serves requests again. The erasure cannot ' +
          'be undone. A repeated request changes nothing.',
        body,
        response: {
          200: z.object({
            commandId: described(
              z.string(),
              'The id of the command on the log.',
              'ers_01ke7t3v8c0000000000000000000a',
            ),
            ref: described(
              personRef,
              'The beginning of every sealed text of the person.',
              'sealed:v1:0011223344556677:8899aabbccddeeff',
            ),
            at: described(z.string(), 'When the person was forgotten.', '2026-01-05T10:30:42.004Z'),
          }),
        },
      },
    },
    async (request) => {
      const { tenant } = callerOf(request);
      const { person, reason } = request.body;
      const { ref } = keysOf(gateway).find(tenant, person);
      if (names(reason, person)) throw reasonNames();
      const command = operatorCommand(request, gateway, { prefix: 'ers', parts: [ref], reason });
      const at = await forgetPerson(gateway, { tenant, ref }, command, request.traceparent);
      return { commandId: command.id, ref, at };
    },
  );
}

/** The least length of an id that is searched in a reason. A shorter id could match by chance. */
const TELLING_LENGTH = 4;

function names(reason: string, person: string): boolean {
  return person.length >= TELLING_LENGTH && reason.toLowerCase().includes(person.toLowerCase());
}

function reasonNames(): HttpProblem {
  return new HttpProblem(400, 'REASON_NAMES_PERSON', 'the reason contains the id of the person', {
    remedy:
      'No person was erased. The log keeps the reason permanently, so name a ticket there, not the person.',
  });
}
