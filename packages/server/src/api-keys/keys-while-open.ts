import type { ApiScope } from '@mandate/schemas';
import type { KeyStore } from './key-store.ts';

/**
 * The scopes that a key keeps after its tenant is closed: to read the tenant, to report outcomes of running actions
 * (the gateway takes no new actions), to revoke keys, and scopes beyond the tenant.
 */
const LEFT: ReadonlySet<ApiScope> = new Set([
  'publish',
  'report',
  'release',
  'record',
  'audit',
  'persons',
  'admin',
  'operate:all',
]);

/**
 * Returns the same store, but a key of a closed tenant keeps only the scopes of {@link LEFT}. `withheld` contains the
 * removed scopes.
 */
export function keysWhileOpen(keys: KeyStore, tenants: { isClosed(tenant: string): boolean }): KeyStore {
  return {
    holderOf: keys.holderOf,
    expiredAt: keys.expiredAt,
    async find(key) {
      const record = await keys.find(key);
      if (record === null || !tenants.isClosed(record.tenant)) return record;
      const { scopes } = record;
      const withheld = scopes.filter((scope) => !LEFT.has(scope));
      return { ...record, scopes: scopes.filter((scope) => LEFT.has(scope)), withheld };
    },
  };
}
