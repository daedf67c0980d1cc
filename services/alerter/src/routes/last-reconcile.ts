/** GET /v1/reconcile: what the last reconciler found in the tenant of the key. */

import { reconciledFact } from '@mandate/schemas';
import { callerOf, HttpProblem, type HttpServer } from '@mandate/server';
import type { z } from 'zod';
import type { Alerter } from '../alerter.ts';

const answer = reconciledFact;
export type LastReconcile = z.output<typeof answer>;

export function lastReconcile(server: HttpServer, { lastReconciled }: Pick<Alerter, 'lastReconciled'>): void {
  server.get(
    '/v1/reconcile',
    {
      config: { scope: ['audit', 'operate'], refusals: { 404: 'No result was ever reported.' } },
      schema: {
        tags: ['alerts'],
        summary: 'Show what the last reconciler found in the tenant of the key, and when',
        description:
          '`mandate reconcile --alert` reports its result, with and without drift. The result is on the log, so it ' +
          'outlives a restart. The read is recorded before the answer is sent.',
        response: { 200: answer },
      },
    },
    (request): LastReconcile => {
      const found = lastReconciled(callerOf(request).tenant);
      if (found !== null) return found;
      throw new HttpProblem(404, 'NEVER_RECONCILED', 'no reconciler has reported a result for this tenant', {
        remedy: 'Run `mandate reconcile --alert` daily, with a key that has the scope operate.',
      });
    },
  );
}
