/** Finds what a change of the tenant limits newly allows, as lines of text (like widening.ts for policies). */
import type { TenantDocument } from '@mandate/schemas';
import { tenantLimitsDocument } from '../tenant-limits.ts';
import { widening } from './widening.ts';

export function tenantLimitsWidening(before: TenantDocument, after: TenantDocument): readonly string[] {
  const [was, is] = [tenantLimitsDocument(before), tenantLimitsDocument(after)];
  const own =
    before.forbidsOwnApproval && !after.forbidsOwnApproval
      ? ['forbidsOwnApproval: people may answer for their own actions']
      : [];
  if (was === null) return own;
  return own.concat(is === null ? ['limits: gone'] : widening(was, is));
}
