import type { Alert, ApiKeyRecord } from '@mandate/schemas';
import { concerns } from '../rules/addressees.ts';

/** The alerts of the key's tenant. A key with `operate:all` sees all alerts. */
export function maySee({ tenant, scopes }: ApiKeyRecord, alert: Alert): boolean {
  return scopes.includes('operate:all') || concerns(alert, tenant);
}
