import type { ApiKeyRecord, KillTarget } from '@mandate/schemas';
import { HttpProblem } from '@mandate/server';

/**
 * Returns the target of a wide kill or revive: the caller's tenant, or everything if the key has the scope
 * operate:all. Throws FORBIDDEN if the key may not use this target.
 */
export function wideTarget(key: ApiKeyRecord, scope: 'tenant' | 'all'): KillTarget {
  if (scope === 'tenant') return { scope, tenant: key.tenant };
  if (key.scopes.includes('operate:all')) return { scope };
  throw new HttpProblem(403, 'FORBIDDEN', 'this API key lacks the scope operate:all', {
    remedy: 'Use a key that has this scope, or ask only for your tenant with {"scope": "tenant"}.',
  });
}
