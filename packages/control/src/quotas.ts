import { CAPS, limitsInForce, type TenantLimits, type TenantLimitsInForce } from '@mandate/schemas';
import type { OpenedTenant } from './revisioned.ts';

type Counted = 'agents' | 'policies' | 'rules' | 'issuedMandates';

/**
 * Returns how many agents, policies or other counted documents the tenant may have. If the tenant already has more,
 * these stay, but no more can be added.
 */
export function quotaOf({ opened }: { opened: OpenedTenant | null }, what: Counted): number {
  return Math.min(CAPS[what], opened?.document.limits?.[what] ?? CAPS[what]);
}

const made = new WeakMap<TenantLimits, TenantLimitsInForce>();
const DEFAULT_LIMITS = limitsInForce();

/** Returns the quotas of the tenant. */
export function quotasOf({ opened }: { opened: OpenedTenant | null }): TenantLimitsInForce {
  const said = opened?.document.limits;
  if (said === undefined) return DEFAULT_LIMITS;
  const limits = made.get(said) ?? limitsInForce(said);
  made.set(said, limits);
  return limits;
}
