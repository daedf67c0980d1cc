/**
 * POST /v1/alerts/drift: reports the result of a reconciler, which is recorded. The alarm lasts until a reconciler finds no
 * drift.
 */

import { described, id, reconcileReport, wireTime } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import type { Alerter } from '../alerter.ts';
import { drifted } from '../rules/drift-rule.ts';

export function reportDrift(server: HttpServer, { raise, append, alerting, clock }: Alerter): void {
  server.post(
    '/v1/alerts/drift',
    {
      config: { scope: 'operate' },
      schema: {
        tags: ['alerts'],
        summary:
          'Report what a reconciler found in the tenant of the key. `mandate reconcile --alert` calls this route',
        body: reconcileReport.meta({
          examples: [{ driftMicros: 0, counters: 12, differences: 0, doubledActions: 0, brokenLaws: 0 }],
        }),
        response: {
          202: z.object({
            id: described(
              id.nullable(),
              'The id of the alert. null: no alert begins or ends with this result.',
              'alr_0b7e5d21c94f4c5f8e3a6d1f2b4c8e90',
            ),
          }),
        },
      },
    },
    async (request, reply) => {
      const { drift } = alerting().rules;
      const { tenant, name } = callerOf(request);
      const nowMs = clock();
      // The result is recorded even if the rule is off or raises nothing, because people ask when it was checked last.
      const reconciled = { ...request.body, tenant, by: `key:${name}`, at: wireTime(nowMs) };
      await append([{ event: 'tenant.reconciled', reconciled }]);
      const finding = drifted(tenant, request.body, nowMs);
      const raised = drift ? await raise(finding) : null;
      reply.code(202);
      return { id: raised?.alert.id ?? null };
    },
  );
}
