/** POST /v1/persons/unseal: sealed texts, for callers that may read them. */
import { refInToken, type Unsealed } from '@mandate/privacy';
import { turns } from '@mandate/runtime';
import { callerOf, type HttpServer, laneOf } from '@mandate/server';
import { z } from 'zod';
import type { Gateway } from '../gateway.ts';
import { keysOf, NOT_SEALED } from '../persons/sealed-persons.ts';

const MOST_TEXTS = 1_000;

const unsealed = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ erased: z.literal(true) }),
  z.strictObject({ unknown: z.literal(true) }),
]);

export function unsealTexts(server: HttpServer, gateway: Gateway): void {
  server.post(
    '/v1/persons/unseal',
    {
      config: { scope: 'persons', refusals: NOT_SEALED },
      schema: {
        tags: ['persons'],
        summary: 'Read what was sealed',
        description:
          'Answers in the order asked: the text, that its person was erased, or that it is nothing that was sealed here for this tenant. Who reads of whom is on record before it is answered.',
        body: z.strictObject({ sealed: z.array(z.string()).min(1).max(MOST_TEXTS) }).meta({
          examples: [
            { sealed: ['sealed:v1:0011223344556677:8899aabbccddeeff:kDCLZnMocRZC1S2Pv4EeS4dbRg0n….'] },
          ],
        }),
        response: { 200: z.object({ unsealed: z.array(unsealed) }) },
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
