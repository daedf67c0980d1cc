/** Finds the tenant of an alert, and the webhooks that get the alert. */
import type { Alert } from '@mandate/schemas';
import type { Raised } from './alarms.ts';
import type { Webhook } from './webhooks.ts';

/** True if a tenant may see an alert. A kill or revive of the whole plane concerns every tenant. */
export function concerns({ tenant, rule }: Pick<Alert, 'tenant' | 'rule'>, whose: string): boolean {
  return tenant === whose || (tenant === null && (rule === 'kill' || rule === 'revive'));
}

/** True if a webhook may get an alert: the webhook belongs to the alert's tenant, or to all tenants (`*`). */
export function isFor(alert: Pick<Alert, 'tenant' | 'rule'>, { tenant }: Pick<Webhook, 'tenant'>): boolean {
  return tenant === '*' || concerns(alert, tenant);
}

export function addressees(
  { event, alert }: { event: Raised['event']; alert: Pick<Alert, 'tenant' | 'rule' | 'facts'> },
  webhooks: readonly Webhook[],
): string[] {
  const { rule, facts } = alert;
  return webhooks
    .filter((webhook) => isFor(alert, webhook))
    .filter(({ rules }) => rule === 'test' || rules === null || rules.has(rule))
    .filter(({ events }) => rule !== 'policy_event' || events === null || events.has(facts.event ?? null))
    .filter(({ cleared }) => event === 'alert.raised' || cleared)
    .map(({ name }) => name);
}
