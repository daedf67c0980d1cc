/** POST /v1/alerts/drift: reports the result of a reconciler. The alarm lasts until a reconciler finds no drift. */

import { count, described, id } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import type { Alerter } from '../alerter.ts';
import { drifted } from '../rules/drift-rule.ts';

const reconciled = z.strictObject({
  driftMicros: described(
    count,
    'By how much all counters of money together differ, in micro-dollars.',
    20_000,
  ),
  driftTokens: described(count.default(0), 'By how many tokens all counters of tokens together differ.', 0),
  counters: described(count, 'How many counters were compared.', 412),
  differences: described(count, 'How many counters differ.', 1),
  doubledActions: described(count, 'How many actions were decided twice.', 0),
  brokenLaws: described(count.default(0), 'How many laws of the plane did not hold.', 0),
});

export function reportDrift(server: HttpServer, { raise, alerting, clock }: Alerter): void {
  server.post(
    '/v1/alerts/drift',
    {
      config: { scope: 'operate' },
      schema: {
        tags: ['alerts'],
        summary:
          'Report what a reconciler found in the tenant of the key. `mandate reconcile --alert` calls this route',
        body: reconciled.meta({
          examples: [{ driftMicros: 0, counters: 12, differences: 0, doubledActions: 0, brokenLaws: 0 }],
        }),
        response: {
          202: z.object({
            id: described(
              id.nullable(),
              'The id of the alert. null: the same was reported before.',
              'alr_0b7e5d21c94f4c5f8e3a6d1f2b4c8e90',
            ),
          }),
        },
      },
    },
    async (request, reply) => {
      const { drift } = alerting().rules;
      const finding = drifted(callerOf(request).tenant, request.body, clock());
      const raised = drift ? await raise(finding) : null;
      reply.code(202);
      return { id: raised?.alert.id ?? null };
    },
  );
}
