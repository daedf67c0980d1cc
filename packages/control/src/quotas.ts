import { CAPS, type QuotasInForce, quotasInForce, type TenantQuotas } from '@mandate/schemas';
import type { OpenedTenant } from './revisioned.ts';

type Counted = 'agents' | 'policies' | 'rules' | 'grants';

/**
 * Returns how many agents, policies or other counted documents the tenant may have. If the tenant already has more,
 * these stay, but no more can be added.
 */
export function quotaOf({ opened }: { opened: OpenedTenant | null }, what: Counted): number {
  return Math.min(CAPS[what], opened?.document.quotas?.[what] ?? CAPS[what]);
}

const made = new WeakMap<TenantQuotas, QuotasInForce>();
const DEFAULT_QUOTAS = quotasInForce();

/** Returns the quotas of the tenant. */
export function quotasOf({ opened }: { opened: OpenedTenant | null }): QuotasInForce {
  const said = opened?.document.quotas;
  if (said === undefined) return DEFAULT_QUOTAS;
  const quotas = made.get(said) ?? quotasInForce(said);
  made.set(said, quotas);
  return quotas;
}
