/** GET /v1/alerts: what was raised and cleared, and what became of it at each webhook; newest first. */
import { callerOf, type HttpServer } from '@mandate/runtime';
import { ALERT_RULES, alert, count, time } from '@mandate/schemas';
import { z } from 'zod';
import type { Entry } from '../alert-book.ts';
import type { Alerter } from '../alerter.ts';
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

export function listAlerts(server: HttpServer, { book }: Pick<Alerter, 'book'>): void {
  server.get(
    '/v1/alerts',
    {
      config: { scope: ['audit', 'operate:all'] },
      schema: {
        tags: ['alerts'],
        summary: 'What was raised and cleared, and what became of it at each webhook; newest first',
        description:
          'The newest 10,000 and those that still wait; all of them stand on the log. With the scope operate:all those of every tenant, and of the plane itself.',
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
      const alerts: Entry[] = [];
      for (const entry of book.newestFirst(cursor)) {
        if (!maySee(key, entry.alert) || (rule !== undefined && entry.alert.rule !== rule)) continue;
        if (state !== undefined && ![...entry.deliveries.values()].some((one) => one.state === state))
          continue;
        alerts.push(entry);
        if (alerts.length === limit) break;
      }
      const last = alerts.length === limit ? alerts.at(-1) : undefined;
      return { alerts: alerts.map(shown), next: last === undefined ? null : String(last.offset) };
    },
  );
}

function shown({ event, alert, deliveries }: Entry): z.output<typeof listed> {
  const { webhooks: _, quiet: __, ...rest } = alert;
  return {
    ...rest,
    event,
    deliveries: [...deliveries].map(([webhook, came]) => ({ webhook, ...came })),
  };
}
