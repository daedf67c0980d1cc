/** POST /v1/persons/unseal: returns the clear text of sealed texts, if the caller may read them. */
import { refInToken, type Unsealed } from '@mandate/privacy';
import { turns } from '@mandate/runtime';
import { described } from '@mandate/schemas';
import { callerOf, type HttpServer, laneOf } from '@mandate/server';
import { z } from 'zod';
import type { Gateway } from '../gateway.ts';
import { keysOf, NOT_SEALED } from '../persons/sealed-persons.ts';

const MOST_TEXTS = 1_000;

const unsealed = z.union([
  z.strictObject({ text: described(z.string(), 'The text that was sealed.', 'mia.li@example.com') }),
  z.strictObject({
    erased: described(
      z.literal(true),
      'The person of the text was erased, so the text can no longer be read.',
    ),
  }),
  z.strictObject({ unknown: described(z.literal(true), 'The text was not sealed here for this tenant.') }),
]);

export function unsealTexts(server: HttpServer, gateway: Gateway): void {
  server.post(
    '/v1/persons/unseal',
    {
      config: { scope: 'persons', refusals: NOT_SEALED },
      schema: {
        tags: ['persons'],
        summary: 'Read sealed texts',
        description:
          'The answers are in the order of the request. Each is the text, or says that its person was forgotten, or that ' +
          'the text was not sealed here for this tenant. The log records who reads texts of which person, before the ' +
          'answer is sent.',
        body: z
          .strictObject({
            sealed: described(z.array(z.string()).min(1).max(MOST_TEXTS), 'The sealed texts to read.', [
              'sealed:v1:0011223344556677:8899aabbccddeeff:kDCLZnMocRZC1S2Pv4EeS4dbRg0n',
            ]),
          })
          .meta({
            examples: [
              { sealed: ['sealed:v1:0011223344556677:8899aabbccddeeff:kDCLZnMocRZC1S2Pv4EeS4dbRg0n….'] },
            ],
          }),
        response: {
          200: z.object({
            unsealed: described(z.array(unsealed), 'An answer for each text, in the order of the request.'),
          }),
        },
      },
    },
    async (request) => {
      const { tenant } = callerOf(request);
      const { sealed } = request.body;
      const keys = keysOf(gateway);
      const refs = [...new Set(sealed.flatMap((text) => refInToken(text) ?? []))];
      await gateway.reads.recordRead(request, { refs, count: String(sealed.length) });
      const answers: Unsealed[] = [];
      for (const text of sealed) {
        if (turns.isOver()) await turns.next(laneOf(request));
        answers.push(keys.unseal(tenant, text));
      }
      return { unsealed: answers };
    },
  );
}
