/** GET /v1/reconcile: what the last reconciler found in the tenant of the key. */

import { described, reconciledFact } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import type { Alerter } from '../alerter.ts';

const answer = z.object({
  last: described(
    reconciledFact.nullable(),
    'The last result. Null: no reconciler has reported one for this tenant.',
  ),
});
export type LastReconcile = z.output<typeof answer>;

export function lastReconcile(server: HttpServer, { lastReconciled }: Pick<Alerter, 'lastReconciled'>): void {
  server.get(
    '/v1/reconcile',
    {
      config: { scope: ['audit', 'operate'] },
      schema: {
        tags: ['alerts'],
        summary: 'Show what the last reconciler found in the tenant of the key, and when',
        description:
          '`mandate reconcile --alert` reports its result, with and without drift. The result is on the log, so it ' +
          'outlives a restart. The read is recorded before the answer is sent.',
        response: { 200: answer },
      },
    },
    (request): LastReconcile => ({ last: lastReconciled(callerOf(request).tenant) }),
  );
}
