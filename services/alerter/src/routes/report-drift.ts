/** POST /v1/alerts/drift: what a reconciler has found, which is an alert until one finds nothing. */

import { count, id } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import type { Alerter } from '../alerter.ts';
import { drifted } from '../rules/drift-rule.ts';

const reconciled = z.strictObject({
  driftMicros: count.describe('By how much the counters differ, all of them together.'),
  counters: count.describe('How many were compared.'),
  differences: count.describe('How many of them differ.'),
  doubledActions: count.describe('How many actions were decided twice.'),
  brokenLaws: count.default(0).describe('How many laws of the plane are broken.'),
});

export function reportDrift(server: HttpServer, { raise, alerting, clock }: Alerter): void {
  server.post(
    '/v1/alerts/drift',
    {
      config: { scope: 'operate' },
      schema: {
        tags: ['alerts'],
        summary: "Tell what a reconciler has found of the key's tenant; `mandate reconcile --alert` does",
        body: reconciled.meta({
          examples: [{ driftMicros: 0, counters: 12, differences: 0, doubledActions: 0, brokenLaws: 0 }],
        }),
        response: {
          202: z.object({ id: id.nullable().describe('Of the alert; null where nothing is new.') }),
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
