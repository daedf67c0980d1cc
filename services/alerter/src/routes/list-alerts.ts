/** GET /v1/alerts: what was raised and cleared, and what became of it at each webhook; newest first. */

import { ALERT_RULES, type ApiKeyRecord, alert, count, time } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import type { Delivery, Entry } from '../alert-book.ts';
import type { Alerter } from '../alerter.ts';
import type { Webhook } from '../rules/alert-rules.ts';
import { maySee } from './may-see.ts';

const delivery = z.object({
  webhook: z.string(),
  state: z.enum(['waiting', 'delivered', 'undelivered']),
  attempts: count.optional(),
  status: count.optional().describe('What the webhook answered.'),
  reason: z.string().optional().describe('Why it was not delivered.'),
  since: time.optional(),
  at: time.optional(),
});

const listed = alert.omit({ webhooks: true, quiet: true }).extend({
  event: z.enum(['alert.raised', 'alert.cleared']),
  deliveries: z.array(delivery),
});

export function listAlerts(server: HttpServer, { book, alerting }: Pick<Alerter, 'book' | 'alerting'>): void {
  server.get(
    '/v1/alerts',
    {
      config: { scope: ['audit', 'operate:all'] },
      schema: {
        tags: ['alerts'],
        summary: 'What was raised and cleared, and what became of it at each webhook; newest first',
        description:
          'The newest 10,000 and those that still wait; all of them stand on the log. On record before it is answered. With the scope operate:all those of every tenant, and of the plane itself.',
        querystring: z.strictObject({
          rule: z.enum(ALERT_RULES).optional().describe('Only those of this rule.'),
          state: z.enum(['waiting', 'undelivered']).optional().describe('Only those with such a delivery.'),
          limit: z.coerce
            .number()
            .int()
            .min(1)
            .max(1_000)
            .default(100)
            .describe('At most so many, 1 to 1,000.'),
          cursor: z.coerce.number().pipe(count).optional().describe('`next` of the page before.'),
        }),
        response: { 200: z.object({ alerts: z.array(listed), next: z.string().nullable() }) },
      },
    },
    (request) => {
      const { rule, state, limit, cursor } = request.query;
      const key = callerOf(request);
      const { webhooks } = alerting();
      const alerts: Shown[] = [];
      for (const entry of book.newestFirst(cursor)) {
        if (!maySee(key, entry.alert) || (rule !== undefined && entry.alert.rule !== rule)) continue;
        const deliveries = deliveriesFor(key, entry, webhooks);
        if (state !== undefined && !deliveries.some(([, came]) => came.state === state)) continue;
        alerts.push({ entry, deliveries });
        if (alerts.length === limit) break;
      }
      const last = alerts.length === limit ? alerts.at(-1) : undefined;
      return { alerts: alerts.map(shown), next: last === undefined ? null : String(last.entry.offset) };
    },
  );
}

type Shown = { entry: Entry; deliveries: readonly [webhook: string, came: Delivery][] };

/** What was done to everything goes to webhooks of every tenant, of which each knows its own and those of everybody. */
function deliveriesFor(
  { tenant, scopes }: ApiKeyRecord,
  { alert, deliveries }: Entry,
  webhooks: readonly Webhook[],
): Shown['deliveries'] {
  if (alert.tenant !== null || scopes.includes('operate:all')) return [...deliveries];
  const own = webhooks.filter((webhook) => ['*', tenant].includes(webhook.tenant)).map(({ name }) => name);
  return [...deliveries].filter(([name]) => own.includes(name));
}

function shown({ entry: { event, alert }, deliveries }: Shown): z.output<typeof listed> {
  const { webhooks: _, quiet: __, ...rest } = alert;
  return {
    ...rest,
    event,
    deliveries: deliveries.map(([webhook, came]) => ({ webhook, ...came })),
  };
}
