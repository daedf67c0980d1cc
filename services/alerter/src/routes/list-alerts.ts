/** GET /v1/alerts: alerts that were raised or cleared, and their delivery to each webhook; newest first. */

import { ALERT_RULES, type ApiKeyRecord, alert, count, described, time } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import type { Delivery, Entry } from '../alert-book.ts';
import type { Alerter } from '../alerter.ts';
import type { Webhook } from '../rules/webhooks.ts';
import { maySee } from './may-see.ts';

const delivery = z.object({
  webhook: described(z.string(), 'The webhook, by its name in the rule file.', 'ops'),
  state: described(
    z.enum(['waiting', 'delivered', 'undelivered']),
    'The state of the delivery. `waiting`: the alerter will try again.',
  ),
  attempts: described(
    count.optional(),
    'How many times the alert was sent to the webhook. Absent if the alert was not sent yet.',
    1,
  ),
  status: described(
    count.optional(),
    'The HTTP status that the webhook answered, or the reply code of a mail server. Absent if there was no answer.',
    204,
  ),
  reason: described(
    z.string().optional(),
    'Why the alert was not delivered. Absent if the alert was delivered, or if the alerter still tries.',
    'the webhook answered 500',
  ),
  since: described(time.optional(), 'Since when the delivery waits. Absent if the delivery does not wait.'),
  at: described(time.optional(), 'When the delivery ended. Absent if the delivery waits.'),
});

const listed = alert.omit({ webhooks: true, quiet: true }).extend({
  event: described(
    z.enum(['alert.raised', 'alert.cleared']),
    '`alert.raised`: something began. `alert.cleared`: it is over.',
  ),
  deliveries: described(z.array(delivery), 'The delivery of the alert to each webhook.'),
});

export type AlertListed = z.output<typeof listed>;

export function listAlerts(server: HttpServer, { book, alerting }: Pick<Alerter, 'book' | 'alerting'>): void {
  server.get(
    '/v1/alerts',
    {
      config: { scope: ['audit', 'operate:all'] },
      schema: {
        tags: ['alerts'],
        summary: 'List alerts, raised and cleared, with their delivery to each webhook; newest first',
        description:
          'The list has the newest 10,000 alerts, and every older alert that still waits for delivery. The log has all ' +
          'alerts. A key with the scope `operate:all` sees the alerts of every tenant, and alerts about the plane ' +
          'itself. The read is recorded before the answer is sent.',
        querystring: z.strictObject({
          rule: described(z.enum(ALERT_RULES).optional(), 'Only alerts of this alert rule.', 'budget'),
          state: described(
            z.enum(['waiting', 'undelivered']).optional(),
            'Only alerts with a delivery in this state.',
            'undelivered',
          ),
          limit: described(
            z.coerce.number().int().min(1).max(1_000).default(100),
            'How many alerts to return at most.',
            20,
          ),
          cursor: described(z.coerce.number().pipe(count).optional(), 'The `next` of the previous page.', 17),
        }),
        response: {
          200: z.object({
            alerts: described(z.array(listed), 'The alerts, the newest first.'),
            next: described(
              z.string().nullable(),
              'Give it as `cursor` to get the next page. null: this is the last page.',
              '17',
            ),
          }),
        },
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

/**
 * Returns the deliveries that a tenant may see: to its own webhooks and to webhooks for all tenants (`*`). An alert
 * about the whole plane also goes to webhooks of other tenants.
 */
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
