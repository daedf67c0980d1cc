import type { ApiScope } from '@mandate/schemas';
import type { KeyStore } from './key-store.ts';

/**
 * What a key of a closed tenant may still do: read the tenant, report outcomes of actions that run (the gateway takes
 * no new actions), revoke keys, and use the scopes that reach beyond the tenant.
 */
const LEFT: ReadonlySet<ApiScope> = new Set([
  'publish',
  'report',
  'release',
  'audit',
  'persons',
  'admin',
  'operate:all',
]);

/**
 * Returns the same keys, but a key of a closed tenant keeps only the scopes of {@link LEFT}. `withheld` names the
 * others.
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
