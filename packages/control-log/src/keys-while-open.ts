import type { KeyStore } from '@mandate/runtime';
import type { ApiScope } from '@mandate/schemas';
import type { FollowedControl } from './follow-control.ts';

/**
 * What keys of a closed tenant may still do: read it, report what became of what ran (the gateway takes no actions of it), revoke
 * its keys, and what reaches beyond it.
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

/** Keys, with what is left to them where their tenant is closed. */
export function keysWhileOpen(
  keys: KeyStore,
  { mandates }: { mandates: Pick<FollowedControl['mandates'], 'isClosed'> },
): KeyStore {
  return {
    holderOf: keys.holderOf,
    expiredAt: keys.expiredAt,
    async find(key) {
      const record = await keys.find(key);
      if (record === null || !mandates.isClosed(record.tenant)) return record;
      const { scopes } = record;
      const withheld = scopes.filter((scope) => !LEFT.has(scope));
      return { ...record, scopes: scopes.filter((scope) => LEFT.has(scope)), withheld };
    },
  };
}
