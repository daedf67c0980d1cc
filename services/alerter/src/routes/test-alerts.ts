/** POST /v1/alerts/test: raises a test alert, which shows whether alerts arrive. */
import { randomUUID } from 'node:crypto';
import { described, id, wireTime } from '@mandate/schemas';
import { callerOf, HttpProblem, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import type { Alerter } from '../alerter.ts';

export function testAlerts(server: HttpServer, alerter: Alerter): void {
  server.post(
    '/v1/alerts/test',
    {
      config: { scope: ['operate', 'operate:all'], refusals: { 409: 'No webhook is for the tenant.' } },
      schema: {
        tags: ['alerts'],
        summary: "Raise an alert that means nothing, for every webhook of the key's tenant",
        response: {
          202: z.object({
            id: described(id, 'The test alert.', 'alr_0b7e5d21c94f4c5f8e3a6d1f2b4c8e90'),
            webhooks: described(z.array(z.string()), 'The webhooks that receive it.', ['ops']),
          }),
        },
      },
    },
    async (request, reply) => {
      const { name, tenant } = callerOf(request);
      const raised = await alerter.raise({
        rule: 'test',
        tenant,
        subject: randomUUID(),
        holds: true,
        order: 0,
        at: wireTime(alerter.clock()),
        message: `A test, asked for by ${name}. Nothing happened.`,
        facts: { by: `key:${name}` },
      });
      const { id, webhooks } = raised?.alert ?? { id: '', webhooks: [] };
      if (webhooks.length === 0) {
        throw new HttpProblem(409, 'ALERT_WITHOUT_WEBHOOK', `the rule file has no webhook for ${tenant}`, {
          remedy: 'Add one to alerts.yaml. docs/alerts.md shows how.',
        });
      }
      reply.code(202);
      return { id, webhooks };
    },
  );
}
