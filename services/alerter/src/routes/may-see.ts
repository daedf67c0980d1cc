import type { Alert, ApiKeyRecord } from '@mandate/schemas';
import { concerns } from '../rules/addressees.ts';

/** Those of the key's tenant; with operate:all every one. */
export function maySee({ tenant, scopes }: ApiKeyRecord, alert: Alert): boolean {
  return scopes.includes('operate:all') || concerns(alert, tenant);
}
