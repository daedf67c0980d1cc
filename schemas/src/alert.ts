/**
 * A record of the alerts topic: what a person should know, and which webhooks were told. The topic is the alerter's only
 * memory: the active alarms, the used ids and the deliveries that are due are folds of it.
 */
import { z } from 'zod';
import { count, id, parsedJson, tenant, time } from './scalars.ts';

/** What is watched. `drift` is told by who reconciles, `test` asked for by a person. */
export const ALERT_RULES = [
  'kill',
  'revive',
  'approval',
  'approval_overdue',
  'budget',
  'overdrawn',
  'excess',
  'cost_per_call',
  'first_use',
  'block_rate',
  'release_rate',
  'lag',
  'drift',
  'test',
] as const;
export type AlertRule = (typeof ALERT_RULES)[number];

/** As people write it in a rule file, and as a label of a metric. */
export const webhookName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, {
  error: 'must be 1 to 64 lower-case letters, digits or dashes, beginning with a letter or digit',
});

export const alert = z.object({
  /**
   * Follows from rule, tenant, subject and episode alone, so every alerter that raises the same alarm gives it the same
   * id.
   */
  id,
  rule: z.enum(ALERT_RULES),
  /** null where it is no tenant's: the plane as a whole. */
  tenant: tenant.nullable(),
  /** What it is about, under its rule: an agent, an action, a budget and its threshold. */
  subject: z.string(),
  /** How often this subject has been alarming, with this time: from 1. */
  episode: count,
  said: z.string(),
  /** Figures and names, by rule: see docs/alerts.md. */
  facts: z.record(z.string(), parsedJson),
  /** When it happened, by the record that shows it. */
  at: time,
  /** The order of that record among the records about this subject: an older record changes nothing. */
  order: count,
  /** Where that record lies; null where none does. */
  record: z
    .object({ topic: z.string(), partition: count, offset: z.string().regex(/^\d{1,19}$/) })
    .nullable(),
  /** The webhooks that must be told, as the rule file said when the alarm was raised. */
  webhooks: z.array(webhookName),
  /** Only noted, and sent to no webhook: the event is older than the first alert, or its rule was off. */
  quiet: z.boolean(),
});
export type Alert = z.infer<typeof alert>;

export const alertRaised = z.object({ event: z.literal('alert.raised'), alert }).meta({
  title: 'alert.raised',
  description: 'Something happened, or began, that a person should know of.',
});
export type AlertRaised = z.infer<typeof alertRaised>;

export const alertCleared = z
  .object({ event: z.literal('alert.cleared'), alert })
  .meta({ title: 'alert.cleared', description: 'What was raised is over. It has an id of its own.' });
export type AlertCleared = z.infer<typeof alertCleared>;

const delivery = { alertId: id, webhook: webhookName, attempts: count, at: time };

export const alertDelivered = z
  .object({ event: z.literal('alert.delivered'), delivery: z.object({ ...delivery, status: count }) })
  .meta({ title: 'alert.delivered', description: 'A webhook took an alert.' });
export type AlertDelivered = z.infer<typeof alertDelivered>;

export const alertUndelivered = z
  .object({ event: z.literal('alert.undelivered'), delivery: z.object({ ...delivery, reason: z.string() }) })
  .meta({
    title: 'alert.undelivered',
    description: 'A webhook did not take an alert, and it is not tried again unless somebody asks for it.',
  });
export type AlertUndelivered = z.infer<typeof alertUndelivered>;

export const alertReplayed = z
  .object({
    event: z.literal('alert.replayed'),
    replay: z.object({ alertId: id, webhooks: z.array(webhookName), by: z.string(), at: time }),
  })
  .meta({ title: 'alert.replayed', description: 'Somebody asked for an alert to be delivered again.' });
export type AlertReplayed = z.infer<typeof alertReplayed>;

export const alertsBegun = z
  .object({
    event: z.literal('alerts.begun'),
    begun: z.object({
      /** By partition of the decisions: what lies before is history, and raises nothing. */
      offsets: z.record(z.string(), count),
      at: time,
    }),
  })
  .meta({
    title: 'alerts.begun',
    description: 'From here on there are alerts. The first of these records counts.',
  });
export type AlertsBegun = z.infer<typeof alertsBegun>;

export const alertsRecord = z.discriminatedUnion('event', [
  alertRaised,
  alertCleared,
  alertDelivered,
  alertUndelivered,
  alertReplayed,
  alertsBegun,
]);
export type AlertsRecord = z.infer<typeof alertsRecord>;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Throws on what is none of them. */
export function readAlertsRecord(value: Uint8Array): AlertsRecord {
  return alertsRecord.parse(JSON.parse(utf8.decode(value)));
}
