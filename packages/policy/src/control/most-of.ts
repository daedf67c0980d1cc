import { CAPS, type TenantLimits } from '@mandate/schemas';
import type { OpenedTenant } from './kept.ts';

/** How many of these there may be in the tenant. Where there are more already, they stay, and none is added. */
export function mostOf({ opened }: { opened: OpenedTenant | null }, what: keyof TenantLimits): number {
  return Math.min(CAPS[what], opened?.document.limits?.[what] ?? CAPS[what]);
}
