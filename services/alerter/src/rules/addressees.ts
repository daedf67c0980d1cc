/** The tenant of an alert, and the webhooks that get it. */
import type { Alert } from '@mandate/schemas';
import type { Raised } from './alarms.ts';
import type { Webhook } from './alert-rules.ts';

/** Whether a tenant may know of it. What was done to everything was done to each tenant. */
export function concerns({ tenant, rule }: Pick<Alert, 'tenant' | 'rule'>, whose: string): boolean {
  return tenant === whose || (tenant === null && (rule === 'kill' || rule === 'revive'));
}

/** Whether a webhook may be told of it: one of its tenant, or of everybody. */
export function isFor(alert: Pick<Alert, 'tenant' | 'rule'>, { tenant }: Pick<Webhook, 'tenant'>): boolean {
  return tenant === '*' || concerns(alert, tenant);
}

export function addressees(
  { event, alert }: { event: Raised['event']; alert: Pick<Alert, 'tenant' | 'rule'> },
  webhooks: readonly Webhook[],
): string[] {
  const { rule } = alert;
  return webhooks
    .filter((webhook) => isFor(alert, webhook))
    .filter(({ rules }) => rule === 'test' || rules === null || rules.has(rule))
    .filter(({ cleared }) => event === 'alert.raised' || cleared)
    .map(({ name }) => name);
}
