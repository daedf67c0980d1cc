import type { FollowedControl } from '@mandate/control-log';
import type { Logger } from '@mandate/runtime';
import { DEFAULTS } from '@mandate/schemas';

const NAMED_IN_LOG = 20;

/**
 * Logs at the start which tenants have policies that hash fields (`audit.sensitive_fields.hash`), if the process has no
 * hash key. The author of such a policy would believe that ids of persons are hidden.
 */
export function warnOfMissingHashKey(of: {
  followed: Pick<FollowedControl, 'tenants'> & {
    mandates: Pick<FollowedControl['mandates'], 'sensitiveFields'>;
  };
  hashKey: string | undefined;
  log: Pick<Logger, 'warn'>;
}): void {
  const { followed, hashKey, log } = of;
  if (hashKey !== undefined) return;
  const tenants = [...new Set([DEFAULTS.tenant, ...followed.tenants.keys()])];
  const hashing = tenants.filter((tenant) => followed.mandates.sensitiveFields(tenant).hash.length > 0);
  if (hashing.length === 0) return;
  log.warn(
    { count: hashing.length, tenants: hashing.slice(0, NAMED_IN_LOG) },
    'policies hash fields, but there is no hash key: these fields are redacted, and ids of persons stay readable. Set MANDATE_PLANE_HASH_KEY, or MANDATE_GATEWAY_HASH_KEY and MANDATE_DECIDER_HASH_KEY',
  );
}
