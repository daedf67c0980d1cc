/**
 * A record of the alerts topic: an alert, its delivery to a webhook, or the result of a reconciler. The alerter keeps
 * its state only in this topic. It computes active alerts, used ids and due deliveries from these records.
 */
import { z } from 'zod';
import { BUDGET_SCOPES, COUNTER_UNITS } from './counter-names.ts';
import { described } from './described.ts';
import { count, id, logPosition, parsedJson, tenant, time } from './scalars.ts';

/** The alert rules. `mandate reconcile` reports `drift`, and a person requests `test`. */
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
  'policy_event',
  'block_rate',
  'release_rate',
  'lag',
  'drift',
  'test',
] as const;
export type AlertRule = (typeof ALERT_RULES)[number];

/** The name of a webhook, used in a rule file and in the label of a metric. */
export const webhookName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, {
  error: 'must be 1 to 64 lower-case letters, digits or dashes, beginning with a letter or digit',
});

export const alert = z.object({
  id: described(
    id,
    'The id of the alert. It follows from rule, tenant, subject and episode, so that every alerter makes the same id.',
    'alr_6f1d0c3b8a4e47d2b0c95a7e1f3d2c48',
  ),
  rule: described(z.enum(ALERT_RULES), 'The alert rule that found it.'),
  tenant: described(
    tenant.nullable(),
    'The tenant that the alert is about. null: the whole plane.',
    'default',
  ),
  subject: described(
    z.string(),
    'What the alert is about, in words of its rule: an agent, an action, or a budget with its threshold.',
    'agent airline-007 total lifetime support-bot 80',
  ),
  episode: described(
    count,
    'How many times this subject has raised an alert, this one included. It counts from 1.',
    1,
  ),
  message: described(
    z.string(),
    'What happened, as a sentence.',
    'The agent budget "total" of airline-007 is at 80 %: $8.10 of $10.00 are spent.',
  ),
  facts: described(
    z.record(z.string(), parsedJson),
    'Figures and names. Each alert rule has its own: see docs/alerts.md.',
    { percent: 80, spentMicros: 8_100_000, maxMicros: 10_000_000 },
  ),
  at: described(time, 'When it happened, by the record that shows it.'),
  order: described(
    count,
    'The order of that record among all records about the subject. An older record changes nothing.',
    311,
  ),
  record: described(
    logPosition.nullable(),
    'The log position of the record that shows it. null: no single record shows it.',
  ),
  webhooks: described(
    z.array(webhookName),
    'The webhooks that must receive the alert. The rule file named them when the alert was raised.',
    ['ops'],
  ),
  quiet: described(
    z.boolean(),
    'Whether the alert is only recorded and sent to no webhook. The event is older than the first alert, or its rule was off.',
    false,
  ),
});
export type Alert = z.infer<typeof alert>;

export const alertRaised = z
  .object({
    event: described(z.literal('alert.raised'), 'The kind of the record.'),
    alert: described(alert, 'The alert that was raised.'),
  })
  .meta({
    title: 'alert.raised',
    description: 'Something happened or began that a person should know.',
  });
export type AlertRaised = z.infer<typeof alertRaised>;

export const alertCleared = z
  .object({
    event: described(z.literal('alert.cleared'), 'The kind of the record.'),
    alert: described(alert, 'The alert that is over.'),
  })
  .meta({
    title: 'alert.cleared',
    description: 'The cause of an earlier alert is over. This record has an id of its own.',
  });
export type AlertCleared = z.infer<typeof alertCleared>;

const delivery = {
  alertId: described(id, 'The alert that was sent.', 'alr_6f1d0c3b8a4e47d2b0c95a7e1f3d2c48'),
  webhook: described(webhookName, 'The webhook, by its name in the rule file.', 'ops'),
  attempts: described(count, 'How many times it was sent.', 1),
  at: described(time, 'When the last attempt ended.'),
};

export const alertDelivered = z
  .object({
    event: described(z.literal('alert.delivered'), 'The kind of the record.'),
    delivery: described(
      z.object({
        ...delivery,
        status: described(
          count,
          'The HTTP status of the answer of the webhook, or the reply code of a mail server.',
          204,
        ),
      }),
      'The delivery that succeeded.',
    ),
  })
  .meta({ title: 'alert.delivered', description: 'A webhook accepted an alert.' });
export type AlertDelivered = z.infer<typeof alertDelivered>;

export const alertUndelivered = z
  .object({
    event: described(z.literal('alert.undelivered'), 'The kind of the record.'),
    delivery: described(
      z.object({
        ...delivery,
        reason: described(z.string(), 'Why the last attempt failed.', 'the webhook answered 500'),
      }),
      'The delivery that was given up.',
    ),
  })
  .meta({
    title: 'alert.undelivered',
    description: 'A webhook did not accept an alert. The alert is sent again only if a person asks for it.',
  });
export type AlertUndelivered = z.infer<typeof alertUndelivered>;

export const alertReplayed = z
  .object({
    event: described(z.literal('alert.replayed'), 'The kind of the record.'),
    replay: described(
      z.object({
        alertId: described(id, 'The alert to deliver again.', 'alr_6f1d0c3b8a4e47d2b0c95a7e1f3d2c48'),
        webhooks: described(z.array(webhookName), 'The webhooks that receive it again.', ['ops']),
        by: described(z.string(), 'The person or the API key that asked for it.', 'key:ops-laptop'),
        at: described(time, 'When it was asked for.'),
      }),
      'What is delivered again, and who asked for it.',
    ),
  })
  .meta({ title: 'alert.replayed', description: 'A person asked to send an alert again.' });
export type AlertReplayed = z.infer<typeof alertReplayed>;

export const alertsBegun = z
  .object({
    event: described(z.literal('alerts.begun'), 'The kind of the record.'),
    begun: described(
      z.object({
        offsets: described(
          z.record(z.string(), count),
          'The offset in each partition of the decisions topic from which records can raise an alert. Earlier records raise none.',
          { '0': 17, '1': 0 },
        ),
        at: described(time, 'When the first alerter started.'),
      }),
      'The log positions from which alerts are raised.',
    ),
  })
  .meta({
    title: 'alerts.begun',
    description: 'Alerts are raised from these log positions on. The first of these records counts.',
  });
export type AlertsBegun = z.infer<typeof alertsBegun>;

/** How many counters that differ are kept of one report. */
export const MAX_DIFFERENCES_KEPT = 100;

const amount = z.int();

/** A counter that differs between log, ledger and audit. */
const counterDifference = z.object({
  scope: described(z.enum(BUDGET_SCOPES), 'The scope of the budget.', 'agent'),
  subject: described(
    z.string().max(1_000),
    'Whose counter it is: the agent of the scope `agent`, for example.',
    'airline-007',
  ),
  budget: described(z.string().max(1_000), 'The id of the budget.', 'total'),
  unit: described(
    z.enum(['micros', ...COUNTER_UNITS]),
    'The unit of the amounts. `micros`: micro-dollars.',
    'micros',
  ),
  log: described(amount, 'The amount by the log.', 8_120_000),
  kept: described(amount, 'The part of `log` in the months that the audit keeps.', 8_120_000),
  ledger: described(amount, 'The amount in the ledger.', 8_100_000),
  audit: described(amount.nullable(), 'The amount by the audit. null: the audit was not asked.', 8_120_000),
});

/** The result of a reconciler: how much it compared, and how much of it differs. */
const RESULT = {
  driftMicros: described(
    count,
    'By how much all counters of money together differ, in micro-dollars.',
    20_000,
  ),
  driftTokens: described(count, 'By how many tokens all counters of tokens together differ.', 0),
  driftToolCalls: described(
    count,
    'By how many calls of tools all counters of tool calls together differ.',
    0,
  ),
  counters: described(count, 'How many counters were compared.', 412),
  differences: described(count, 'How many counters differ.', 1),
  differing: described(
    z.array(counterDifference).max(MAX_DIFFERENCES_KEPT),
    'The first 100 counters that differ.',
  ),
  doubledActions: described(count, 'How many actions were decided twice.', 0),
  brokenLaws: described(count, 'How many laws of the plane did not hold.', 0),
  decisions: described(
    count.optional(),
    'How many decisions the log had. Absent if the reconciler did not say.',
    9_120,
  ),
  settlements: described(
    count.optional(),
    'How many settlements the log had. Absent if the reconciler did not say.',
    9_004,
  ),
};

/** What a reconciler reports. */
export const reconcileReport = z.strictObject({
  ...RESULT,
  driftTokens: RESULT.driftTokens.default(0),
  driftToolCalls: RESULT.driftToolCalls.default(0),
  differing: RESULT.differing.default([]),
  brokenLaws: RESULT.brokenLaws.default(0),
});

export const reconciledFact = z.object({
  ...RESULT,
  tenant: described(tenant, 'The tenant that was reconciled.', 'default'),
  by: described(z.string(), 'The API key that reported the result.', 'key:ops-laptop'),
  at: described(time, 'When the result was reported.'),
});
export type ReconciledFact = z.infer<typeof reconciledFact>;

export const tenantReconciled = z
  .object({
    event: described(z.literal('tenant.reconciled'), 'The kind of the record.'),
    reconciled: described(reconciledFact, 'What was found, and who reported it.'),
  })
  .meta({
    title: 'tenant.reconciled',
    description:
      'A reconciler compared log, ledger and audit of a tenant. The newest record of a tenant counts.',
  });
export type TenantReconciled = z.infer<typeof tenantReconciled>;

export const alertsRecord = z.discriminatedUnion('event', [
  alertRaised,
  alertCleared,
  alertDelivered,
  alertUndelivered,
  alertReplayed,
  alertsBegun,
  tenantReconciled,
]);
export type AlertsRecord = z.infer<typeof alertsRecord>;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads a record of the alerts topic. Throws on any other content. */
export function readAlertsRecord(value: Uint8Array): AlertsRecord {
  return alertsRecord.parse(JSON.parse(utf8.decode(value)));
}
