/**
 * The body for the Events API v2 of PagerDuty. The alert and its end have the same key, so the end resolves the
 * incident that the alert opened. The next alarm about the same subject has another key.
 */
import { sha256Hex } from '@mandate/policy';
import type { Alert, AlertRule } from '@mandate/schemas';
import type { Raised } from '../rules/alarms.ts';
import { type AlertText, fitted } from './alert-text.ts';

/** PagerDuty cuts a summary after 1,024 characters. */
const MOST_IN_SUMMARY = 1_024;
const MOST_IN_FACT = 1_000;

const SEVERITIES: Readonly<Record<AlertRule, 'critical' | 'error' | 'warning' | 'info'>> = {
  kill: 'critical',
  revive: 'info',
  approval: 'warning',
  approval_overdue: 'error',
  budget: 'warning',
  overdrawn: 'error',
  excess: 'error',
  cost_per_call: 'error',
  first_use: 'info',
  policy_event: 'warning',
  block_rate: 'warning',
  release_rate: 'warning',
  lag: 'critical',
  drift: 'critical',
  test: 'info',
};

export function pagerDutyBody({ event, alert }: Raised, text: AlertText, routingKey: string): string {
  const { rule, tenant, at } = alert;
  const common = { routing_key: routingKey, dedup_key: incidentKey(alert) };
  if (event === 'alert.cleared') return JSON.stringify({ ...common, event_action: 'resolve' });
  const { message, facts, link } = text;
  const details = facts.map(([name, value]) => [name, fitted(value, MOST_IN_FACT)]);
  return JSON.stringify({
    ...common,
    event_action: 'trigger',
    client: 'Mandate',
    ...(link === null ? {} : { client_url: link, links: [{ href: link, text: 'Open in the console' }] }),
    payload: {
      summary: fitted(message, MOST_IN_SUMMARY),
      source: `mandate ${tenant ?? 'all'}`,
      severity: SEVERITIES[rule],
      timestamp: at,
      class: rule,
      custom_details: Object.fromEntries(details),
    },
  });
}

function incidentKey({ rule, tenant, subject, episode }: Alert): string {
  return `mandate-${sha256Hex(JSON.stringify([rule, tenant, subject, episode])).slice(0, 32)}`;
}
